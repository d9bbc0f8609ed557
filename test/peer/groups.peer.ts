import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ottla } from '../cli/captured-terminal.ts';
import {
  activeRuns,
  argumentsFor,
  filesFor,
  idleRuns,
  normalized,
  ourArguments,
  saidBeside,
  type ToolArguments,
} from '../cli/groups/runs.ts';
import { brokerProperties, GroupSituation } from '../cli/groups/situation.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';

/** Groups of our own clients on a broker of Apache Kafka, looked at with its tool and with ours. */
describe('ottla groups and kafka-consumer-groups 4.4', () => {
  const root = mkdtempSync(join(tmpdir(), 'ottla-groups-'));
  let kafka: KafkaPeer;
  let situation: GroupSituation;
  before(async () => {
    kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties: brokerProperties });
    situation = await GroupSituation.make(kafka.port);
    for (const side of ['k', 'o'] as const) for (const [path, text] of filesFor(side, root)) writeFileSync(path, text);
  });
  after(async () => {
    await situation.close();
    await kafka.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function compare(runs: readonly ToolArguments[]): Promise<void> {
    const server = `127.0.0.1:${kafka.port}`;
    for (const run of runs.filter(({ isRepeated }) => isRepeated !== true)) {
      const theirs = await kafkaTool('ConsumerGroupCommand', '--bootstrap-server', server, ...argumentsFor(run, 'k', root));
      const ours = await ottla([...ourArguments(argumentsFor(run, 'o', root)), '--bootstrap-server', server]);
      const text = run.args.join(' ');
      if (run.isUsage === true) {
        assert.deepEqual([theirs.status, ours.exit], [1, 2], text);
        continue;
      }
      assert.deepEqual(normalized(ours.stdout), normalized(theirs.stdout), text);
      const said = saidBeside(ours.stderr);
      assert.deepEqual(
        saidBeside(theirs.stderr).filter((line) => !said.includes(line)),
        [],
        text,
      );
    }
  }

  it('print the same of groups that have members', async () => {
    await compare(activeRuns);
  });

  it('print the same of groups whose members have left, and do the same to them', async () => {
    await situation.endMembers();
    await compare(idleRuns);
  });
});
