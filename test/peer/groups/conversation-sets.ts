import type { Talker } from './conversation.ts';
import { RandomTalker } from './random-talker.ts';
import { delayScripts, type Say, ScriptedTalker, timeScripts } from './scripted-talkers.ts';

/** Who talks, the how manieth time: each time of another group. */
export type MakeTalker = (attempt: number) => Talker;

/** Conversations that a broker of these properties is had with. */
export interface ConversationSet {
  readonly properties: Readonly<Record<string, string>>;
  /** Whether the first rebalance of a group is not put off. */
  readonly isPrompt: boolean;
  readonly talkers: (seeds: readonly number[], steps: number) => readonly MakeTalker[];
}

const properties = {
  'offsets.topic.num.partitions': '4',
  'offsets.topic.replication.factor': '1',
  'group.min.session.timeout.ms': '200',
  'group.max.size': '4',
};

const scripted = (scripts: Readonly<Record<string, readonly Say[]>>): readonly MakeTalker[] =>
  Object.entries(scripts).map(
    ([name, script]) =>
      (attempt) =>
        new ScriptedTalker(name, script, attempt),
  );

export const conversationSets: Readonly<Record<'prompt' | 'patient', ConversationSet>> = {
  prompt: {
    properties: { ...properties, 'group.initial.rebalance.delay.ms': '0' },
    isPrompt: true,
    talkers: (seeds, steps) => {
      const random = seeds.map((seed) => (attempt: number) => new RandomTalker(seed, steps, attempt));
      return [...scripted(timeScripts), ...random];
    },
  },
  patient: {
    properties: { ...properties, 'group.initial.rebalance.delay.ms': '1000' },
    isPrompt: false,
    talkers: () => scripted(delayScripts),
  },
};
