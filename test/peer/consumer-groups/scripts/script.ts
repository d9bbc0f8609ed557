import type { Talk } from '../../../coordinator/group/consumer/talk/talk.ts';

/** Something that is said to a broker; where it depends on answers, on Kafka's. */
export interface Script {
  readonly title: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly say: (talk: Talk) => Promise<void>;
}

/** Assignments are made at once. */
export const AT_ONCE = { 'group.consumer.assignment.interval.ms': '0' };
