/**
 * Transactions of other people's clients against the built node: each commits, aborts, is fenced, fences, reads–processes–writes and reads what is
 * committed. Says a verdict a case, and fails if one of them does not pass.
 *
 *   npm run test:clients [-- --peer] [--client NAME]... [--case NAME]...
 *
 * `--peer` asks Apache Kafka instead, whose verdicts have to be the same. The clients are those that the suite `clients` installs; one that is not there
 * is named and left out. Environment: SUITES_HOME, KAFKA_LIB, KAFKA_PEER, KAFKA_PEER_PORT.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clientPrograms, ClientWorker } from '../test/clients/client-worker.ts';
import { CaseWorld, transactionCases } from '../test/clients/transaction-cases.ts';
import { NodeProcess } from '../test/crash/node-process.ts';
import { KafkaPeer } from '../test/peer/kafka-peer.ts';

const { values } = parseArgs({
  options: {
    peer: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
    client: { type: 'string', multiple: true },
    case: { type: 'string', multiple: true },
  },
});

interface Target {
  readonly address: string;
  /** What it logged that should not be there. */
  complaints(): readonly string[];
  stop(): Promise<unknown>;
}

async function startTarget(directory: string): Promise<Target> {
  if (values.peer) {
    const kafka = await KafkaPeer.start({ directory });
    return { address: `127.0.0.1:${kafka.port}`, complaints: () => [], stop: () => kafka.stop() };
  }
  const node = await NodeProcess.start({ directory, isBuilt: !values.sources });
  const complaints = (): string[] => node.log.split('\n').filter((line) => /"level":"(error|fatal)"|^[^{\s]/.test(line));
  return { address: `127.0.0.1:${node.port}`, complaints, stop: () => node.stop() };
}

async function runCase(client: string, name: string, address: string): Promise<boolean> {
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const label = `${client} ${name}`;
  let worker: ClientWorker | null = null;
  let world: CaseWorld | null = null;
  try {
    worker = await ClientWorker.start(client, address);
    if (worker === null) {
      console.log(`SKIP ${label}: the client is not on this machine (install it with the suite "clients")`);
      return true;
    }
    const unique = `${client}-${name}`.replaceAll(/[^a-z]+/gi, '-');
    world = new CaseWorld(address, unique.replace(/^-/, ''), worker);
    const remark = await transactionCases[name]?.(world);
    console.log(`PASS ${label} (${seconds()})${remark === undefined ? '' : ` # ${remark}`}`);
    return true;
  } catch (error) {
    console.log(`FAIL ${label} (${seconds()}) # ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    world?.close();
    worker?.stop();
  }
}

const directory = mkdtempSync(join(tmpdir(), 'ottla-clients-'));
const target = await startTarget(join(directory, 'data'));
let passed = 0;
let failed = 0;
try {
  for (const client of values.client ?? Object.keys(clientPrograms))
    for (const name of values.case ?? Object.keys(transactionCases)) {
      if (await runCase(client, name, target.address)) passed++;
      else failed++;
    }
} finally {
  await target.stop();
}
const complaints = target.complaints();
for (const line of complaints) console.error(`the node logged: ${line}`);
console.log(`${passed} of ${passed + failed} pass against ${values.peer ? 'Apache Kafka' : 'Ottla'}`);
rmSync(directory, { recursive: true, force: true });
process.exitCode = failed > 0 || complaints.length > 0 ? 1 : 0;
