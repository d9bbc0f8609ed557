import { afterEach } from 'node:test';
import type { LogFacts, Logger } from '../../src/base/logger.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { defineHandler, type Handler } from '../../src/broker/handler.ts';
import { Acceptor, type AcceptorOptions } from '../../src/network/acceptor.ts';
import { FrameMemory } from '../../src/network/frame-memory.ts';
import { RequestSender } from '../../src/network/request-sender.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import { RequestPipeline, type RequestPipelineOptions } from '../../src/server/request-pipeline.ts';
import { RawClient } from '../network/raw-client.ts';
import { type World } from '../network/worlds.ts';

/** Closed after each test. */
export const acceptors: Acceptor[] = [];
afterEach(async () => {
  for (const acceptor of acceptors.splice(0)) await acceptor.close();
});

/** Answers ApiVersions at once, DescribeCluster as the test says. */
export const apiVersionsHandler = defineHandler({
  api: apiVersions,
  handle: () => ({ apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: 5 }] }),
  failed: (_, error) => ({ errorCode: error.code, apiKeys: [] }),
});

type Clusters = Handler<typeof describeCluster>;

export const clusterHandler = (handle: Clusters['handle'], failed?: Clusters['failed']) =>
  defineHandler({
    api: describeCluster,
    handle,
    failed: failed ?? ((_, error) => ({ errorCode: error.code, errorMessage: error.message, clusterId: '', brokers: [] })),
  });

export interface LoggedError {
  readonly message: string;
  readonly facts: LogFacts | undefined;
}

/** A world whose log is kept. */
export function logged(world: World): {
  world: World;
  errors: LoggedError[];
  debugs: LoggedError[];
  setDebug: (isOn: boolean) => void;
} {
  const errors: LoggedError[] = [];
  const debugs: LoggedError[] = [];
  let isDebug = false;
  const logger: Logger = {
    ...silentLogger,
    error: (message, facts) => errors.push({ message, facts }),
    debug: (message, facts) => debugs.push({ message, facts }),
    get isDebugEnabled() {
      return isDebug;
    },
    named: () => logger,
  };
  return {
    world: { ...world, environment: { ...world.environment, logger } },
    errors,
    debugs,
    setDebug: (isOn) => (isDebug = isOn),
  };
}

/** Shows what is given back, and that nobody may look at it any more. */
export class OverwritingMemory extends FrameMemory {
  readonly sizes: number[] = [];

  override giveBack(frame: Buffer): void {
    super.giveBack(frame);
    this.sizes.push(frame.length);
    frame.fill(0xdb);
  }
}

export async function serving(
  world: World,
  handlers: readonly Handler[],
  { frameMemory = new FrameMemory(), ...options }: Partial<RequestPipelineOptions & AcceptorOptions> = {},
) {
  const { environment } = world;
  const pipeline = new RequestPipeline(environment, { handlers: [apiVersionsHandler, ...handlers], ...options });
  const acceptor = new Acceptor(environment, {
    listeners: [{ name: 'PLAINTEXT', endpoint: { host: '127.0.0.1', port: 0 }, serve: pipeline.serve }],
    maxIdleMs: 600_000,
    maxRequestBytes: 104_857_600,
    frameMemory,
  });
  acceptors.push(acceptor);
  await world.resolve(acceptor.listen());
  const address = acceptor.addressOf('PLAINTEXT');
  const { network, clock } = environment;
  return {
    raw: () => RawClient.connect(world, address),
    sender: () =>
      world.resolve(
        RequestSender.connect(address, { network, clock, clientId: 'test', requestTimeoutMs: 5_000, connectTimeoutMs: 5_000 }),
      ),
  };
}

export const CLUSTER = { clusterId: 'c', controllerId: 1, brokers: [] };

export const describeIt = (includeClusterAuthorizedOperations = false) => ({
  includeClusterAuthorizedOperations,
  includeFencedBrokers: false,
});
