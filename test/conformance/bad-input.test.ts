import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advertisedApis, startTestNode, type TestNode, withController } from '../server/test-node.ts';
import { apiVersionsFacts, type BadInput, oddLines } from './golden.ts';
import { maskedAnswer } from './mask.ts';
import { RawConnection } from './raw-connection.ts';

const probe = Buffer.from('001200000000002a000570726f6265', 'hex');
/** Long enough for a close that is due to have come; nothing is waited for when an answer or a close comes. */
const silenceMs = 300;
/** APIs that Kafka answers without advertising them; they come with client metrics. */
const telemetry: ReadonlySet<number> = new Set([71, 72]);

/** The frames in bytes that start with a length; what follows the last whole one is left out. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (
    let at = 0;
    at + 4 <= bytes.length && bytes.readInt32BE(at) >= 0 && at + 4 + bytes.readInt32BE(at) <= bytes.length;
    at += 4 + bytes.readInt32BE(at)
  ) {
    frames.push(bytes.subarray(at + 4, at + 4 + bytes.readInt32BE(at)));
  }
  return frames;
}

/** The listener that is tried, and what it advertises. */
interface Tried {
  readonly node: TestNode;
  readonly port: number;
  readonly advertised: ReadonlySet<number>;
}

for (const kind of ['broker', 'controller'] as const) {
  describe(`the listener of a ${kind} answers strange input as Apache Kafka 4.4.0 does`, () => {
    const facts = apiVersionsFacts(kind);
    let tried: Tried;
    before(async () => {
      const node = await startTestNode(kind === 'broker' ? {} : { properties: withController });
      const port = kind === 'broker' ? node.port : node.controllerPort;
      tried = { node, port, advertised: await advertisedApis(port) };
    });
    after(() => tried.node.stop());

    const isKnown = (key: number): boolean => facts.apis[key] !== undefined || (kind === 'broker' && telemetry.has(key));

    const belongsHere = ({ sentHex }: BadInput): boolean => {
      const [first] = framesIn(Buffer.from(sentHex, 'hex'));
      if (first === undefined || first.length < 8) return true;
      const key = first.readInt16BE(0);
      return !isKnown(key) || tried.advertised.has(key);
    };

    it('in each of the recorded cases of bad input for the APIs it advertises', async (t) => {
      for (const badInput of facts.badInput) {
        if (belongsHere(badInput)) await t.test(badInput.case, () => playBadInput(tried, badInput));
      }
    });

    it('by closing on a version out of range, except for ApiVersions', async () => {
      for (const [key, fact] of Object.entries(facts.outOfRange)) {
        if (!tried.advertised.has(Number(key)) || Number(key) === 18) continue;
        for (const [name, outcome] of Object.entries(fact)) {
          const version = /^(?:below|above) v(-?\d+)$/.exec(name)?.[1];
          if (version === undefined) continue;
          const request = Buffer.alloc(40);
          request.writeInt16BE(Number(key), 0);
          request.writeInt16BE(Number(version), 2);
          const connection = await RawConnection.open(tried.port);
          connection.send(request);
          assert.equal(await connection.ending(5000), outcome, `${fact['name']} ${name}`);
          connection.destroy();
        }
      }
    });

    // These were recorded from a broker.
    if (kind === 'controller') return;
    it('in each of the recorded odd requests', async (t) => {
      const byName = Map.groupBy(oddLines(), (line) => line.name);
      for (const [name, lines] of byName) {
        const keys = lines.flatMap((line) => (line.apiKey === undefined ? [] : [line.apiKey]));
        if (keys.every((key) => facts.apis[key] === undefined || tried.advertised.has(key)))
          await t.test(name, () => playOdd(tried, lines));
      }
    });
  });
}

async function playBadInput({ node, port, advertised }: Tried, badInput: BadInput): Promise<void> {
  const sent = node.withClusterId(Buffer.from(badInput.sentHex, 'hex'));
  const connection = await RawConnection.open(port);
  connection.write(sent);
  if (badInput.case.startsWith('client half-closes')) connection.halfClose();
  if (badInput.outcome === 'connection gone') {
    if (badInput.case.includes('resets')) connection.reset();
    else connection.destroy();
  } else {
    const waitMs = badInput.outcome === 'silent' ? silenceMs : 5000;
    assert.equal(await connection.ending(waitMs), badInput.outcome);
    const isAnswered = badInput.outcome === 'answered' && badInput.answerHex !== undefined;
    if (isAnswered) await compareAnswers(connection, sent, { advertised, answerHex: badInput.answerHex });
    if (badInput.connectionUsableAfter === true) {
      connection.send(probe);
      assert.ok(await answersWith(connection, 42), 'the connection is usable after');
    }
    connection.destroy();
  }
  assert.ok((await advertisedApis(port)).size > 0, 'the node still answers others');
}

/** Whether an answer with this correlation id comes; answers to what was sent before may come first. */
async function answersWith(connection: RawConnection, correlationId: number): Promise<boolean> {
  for (;;) {
    const frame = await connection.frame();
    if (frame === null) return false;
    if (frame.readInt32BE(0) === correlationId) return true;
  }
}

async function compareAnswers(
  connection: RawConnection,
  sent: Buffer,
  { advertised, answerHex }: { advertised: ReadonlySet<number>; answerHex: string },
): Promise<void> {
  const [request] = framesIn(sent);
  const ours = await connection.frame();
  assert.ok(request !== undefined && ours !== null);
  assert.deepEqual(
    maskedAnswer(request, ours, { advertised }),
    maskedAnswer(request, Buffer.from(answerHex, 'hex'), { advertised }),
  );
}

async function playOdd({ port, advertised }: Tried, lines: ReturnType<typeof oddLines>): Promise<void> {
  const connection = await RawConnection.open(port);
  const unanswered: Buffer[] = [];
  for (const line of lines) {
    if (line.dir === '>') {
      const frame = Buffer.from(line.hex ?? '', 'hex');
      if (typeof line.raw === 'string') connection.write(Buffer.from(line.raw, 'hex'));
      else {
        connection.send(frame);
        const isAcksZero = line.apiKey === 0 && line.name.includes('acks-0');
        if (!isAcksZero) unanswered.push(frame);
      }
    } else if (line.dir === '<') {
      const ours = await connection.frame();
      const request = unanswered.shift();
      assert.ok(ours !== null, 'answered');
      assert.ok(request !== undefined, 'a request for this answer');
      const kafkas = Buffer.from(line.hex ?? '', 'hex');
      assert.deepEqual(maskedAnswer(request, ours, { advertised }), maskedAnswer(request, kafkas, { advertised }));
    } else {
      assert.equal(await connection.ending(line.dir === 'x' ? 5000 : silenceMs), line.dir === 'x' ? 'closed' : 'silent');
    }
  }
  connection.destroy();
}
