import { uuidToBytes } from '../../../../../src/base/uuid.ts';
import { apiByKey } from '../../../../../src/protocol/messages/index.ts';
import type { Api } from '../../../../../src/protocol/schema.ts';
import { comparableAnswer } from './comparable.ts';
import { type AskStep, type SendStep, type Step, unplain } from './conversation.ts';
import type { OurSide } from './our-side.ts';

/** Where our answer is not what Kafka's is. */
export interface Difference {
  readonly step: number;
  readonly asked: unknown;
  readonly kafka: unknown;
  readonly ours: unknown;
}

/** Says the same to this program, and gives where it answers something else. It is made to find the ids that Kafka found. */
export async function replayConversation(side: OurSide, steps: readonly Step[]): Promise<Difference[]> {
  const differences: Difference[] = [];
  const pending = new Map<string, { readonly answer: Promise<unknown> }>();
  const compare = (step: number, asked: unknown, answers: { readonly kafka: unknown; readonly ours: unknown }): void => {
    const [kafka, ours] = [comparableAnswer(answers.kafka), comparableAnswer(answers.ours)];
    if (JSON.stringify(kafka) !== JSON.stringify(ours)) differences.push({ step, asked, kafka, ours });
  };
  for (const [index, step] of steps.entries()) {
    switch (step.do) {
      case 'topic':
        await side.createTopic(step.name, step.partitions, step.id);
        break;
      case 'grow':
        await side.growTopic(step.name, step.partitions);
        break;
      case 'delete':
        await side.deleteTopic(step.name);
        break;
      case 'configure':
        await side.configureGroup(step.group, step.configs);
        break;
      case 'wait':
        await side.wait(step.ms);
        break;
      case 'ask':
        side.makeIds(idsMadeFor(step, step.answer));
        compare(index, step.request, {
          kafka: step.answer,
          ours: await side.ask(step.as, apiOf(step.key), step.version, unplain(step.request) as never),
        });
        break;
      case 'send': {
        const received = steps.slice(index).find((later) => later.do === 'receive' && later.as === step.as);
        side.makeIds(idsMadeFor(step, received?.do === 'receive' ? received.answer : null));
        pending.set(step.as, await side.send(step.as, apiOf(step.key), step.version, unplain(step.request) as never));
        break;
      }
      case 'receive': {
        const sent = pending.get(step.as);
        if (sent === undefined) throw new Error(`nothing was sent as ${step.as}`);
        compare(index, { receive: step.as }, { kafka: step.answer, ours: await side.receive(sent) });
        break;
      }
    }
  }
  return differences;
}

function apiOf(key: number): Api {
  const api = apiByKey(key);
  if (api === undefined) throw new Error(`there is no API ${key}`);
  return api;
}

/** The bytes of the member id that Kafka made for somebody who had none. */
function idsMadeFor({ request }: AskStep | SendStep, answer: unknown): Uint8Array[] {
  const { memberId: given } = request as { readonly memberId?: string };
  const memberId = (answer as { readonly memberId?: string | null } | null)?.memberId ?? '';
  if (given !== '' || memberId === '') return [];
  const hex = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(memberId)?.[0];
  return [hex === undefined ? uuidToBytes(memberId) : Buffer.from(hex.replaceAll('-', ''), 'hex')];
}
