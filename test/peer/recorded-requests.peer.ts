import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advertisedApis } from '../server/test-node.ts';
import { apiVersionsFacts, type BadInput, defaultExchanges } from '../conformance/golden.ts';
import { maskedAnswer } from '../conformance/mask.ts';
import { RawConnection } from '../conformance/raw-connection.ts';
import { startTwoBrokers, type TwoBrokers } from './two-brokers.ts';

/** Long enough for an answer that is due. */
const SILENCE_MS = 1000;
/** Makes Kafka create the topic of its group coordinator, which other answers tell of then. */
const FIND_COORDINATOR = 10;
/** Served by Kafka although not advertised. */
const telemetry: ReadonlySet<number> = new Set([71, 72]);

interface Sent {
  readonly bytes: Buffer;
  /** What the client does after it has sent everything. */
  readonly afterwards?: 'half-close';
}

/** How a connection ended, and the frames that came before. */
interface Seen {
  readonly ending: 'closed' | 'silent';
  readonly frames: readonly Buffer[];
}

async function send(port: number, { bytes, afterwards }: Sent, expectedFrames: number): Promise<Seen> {
  const connection = await RawConnection.open(port);
  connection.write(bytes);
  if (afterwards === 'half-close') connection.halfClose();
  const frames: Buffer[] = [];
  for (;;) {
    const ending = await connection.ending(SILENCE_MS);
    const frame = ending === 'answered' ? await connection.frame() : null;
    if (frame === null || ending !== 'answered') {
      connection.destroy();
      return { ending: ending === 'closed' ? 'closed' : 'silent', frames };
    }
    frames.push(frame);
    if (frames.length === expectedFrames && afterwards === undefined) {
      connection.destroy();
      return { ending: 'silent', frames };
    }
  }
}

/** The whole frames in bytes that start with a length. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readInt32BE(at);
    if (end < at + 4 || end > bytes.length) break;
    frames.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

const framed = (request: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(request.length);
  return Buffer.concat([length, request]);
};

describe('recorded requests that Ottla and Apache Kafka 4.4 are sent at the same time', () => {
  let brokers: TwoBrokers;
  before(async () => {
    brokers = await startTwoBrokers();
  });
  after(() => brokers.stop());

  const compare = async (ports: readonly [number, number], sent: Sent, what: string): Promise<void> => {
    const advertised = await advertisedApis(ports[1]);
    const requests = framesIn(sent.bytes);
    const [kafka, ottla] = await Promise.all(ports.map((port) => send(port, sent, requests.length)));
    assert.ok(kafka !== undefined && ottla !== undefined);
    assert.equal(ottla.ending, kafka.ending, what);
    assert.equal(ottla.frames.length, kafka.frames.length, what);
    for (const [index, answer] of kafka.frames.entries()) {
      const request = requests[index] ?? Buffer.alloc(0);
      const ours = maskedAnswer(request, ottla.frames[index] ?? Buffer.alloc(0), { advertised });
      assert.deepEqual(ours, maskedAnswer(request, answer, { advertised }), what);
    }
  };

  for (const kind of ['broker', 'controller'] as const) {
    it(`are answered alike when they have nothing but defaults, at the listener of a ${kind}`, async (t) => {
      const { kafka, ottla } = brokers;
      const ports: readonly [number, number] =
        kind === 'broker' ? [kafka.port, ottla.port] : [kafka.port + 10_000, brokers.controllerPort];
      const advertised = await advertisedApis(ports[1]);
      let compared = 0;
      for (const [name, byVersion] of Object.entries(defaultExchanges()[kind])) {
        const key = Number(name.split(' ')[0]);
        if (!advertised.has(key) || key === FIND_COORDINATOR) continue;
        await t.test(name, async () => {
          for (const [version, { requestHex }] of Object.entries(byVersion)) {
            await compare(ports, { bytes: framed(Buffer.from(requestHex, 'hex')) }, `${name} ${version}`);
            compared++;
          }
        });
      }
      console.log(`${compared} requests of nothing but defaults to the ${kind}`);
      assert.ok(compared > 40, `${compared} compared`);
    });
  }

  it('are dealt with alike when they are none', async (t) => {
    const { kafka, ottla } = brokers;
    const advertised = await advertisedApis(ottla.port);
    const { apis, badInput } = apiVersionsFacts();
    const isServed = ({ sentHex, outcome }: BadInput): boolean => {
      const [first] = framesIn(Buffer.from(sentHex, 'hex'));
      const key = first === undefined || first.length < 8 ? -1 : first.readInt16BE(0);
      return outcome !== 'connection gone' && ((apis[key] === undefined && !telemetry.has(key)) || advertised.has(key));
    };
    let compared = 0;
    for (const input of badInput.filter(isServed)) {
      await t.test(input.case, async () => {
        const bytes = Buffer.from(input.sentHex, 'hex');
        const afterwards = input.case.startsWith('client half-closes') ? 'half-close' : undefined;
        await compare([kafka.port, ottla.port], afterwards === undefined ? { bytes } : { bytes, afterwards }, input.case);
        compared++;
      });
    }
    console.log(`${compared} inputs that are no requests`);
    assert.ok(compared > 40, `${compared} compared`);
  });
});
