import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { MetricsRegistry } from '../../src/base/metrics-registry.ts';
import { decodeResponse, encodeRequest } from '../../src/protocol/header.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { type RunningNode, startNode } from '../../src/server/start-node.ts';
import { RawConnection } from '../conformance/raw-connection.ts';

export interface TestNode {
  readonly port: number;
  readonly clusterId: string;
  readonly directory: string;
  readonly node: RunningNode;
  /** Of the controller's listener, where the properties ask for one. */
  readonly controllerPort: number;
  readonly metrics: MetricsRegistry;
  /** The keys that its ApiVersions answer names. */
  advertisedApis(): Promise<ReadonlySet<number>>;
  /** The same bytes with the cluster id of the recorded cluster replaced by this one's. */
  withClusterId(bytes: Buffer): Buffer;
  stop(): Promise<void>;
}

export interface TestNodeOptions {
  readonly properties?: Readonly<Record<string, string>>;
  /** Left in place by `stop` when given. */
  readonly directory?: string;
  readonly logger?: Logger;
  readonly hostName?: () => Promise<string>;
  /** What time it is for the node; the computer's own time when not given. */
  readonly clock?: Clock;
}

/** What makes a node that has a listener for its controller. */
export const withController: Readonly<Record<string, string>> = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.quorum.voters': '1@127.0.0.1:0',
  'controller.listener.names': 'CONTROLLER',
  listeners: 'PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0',
};

const RECORDED_CLUSTER_ID = '4uNWkFpyRpiFoMF8C7_Q2A';

/** A whole node on a free port over real sockets and files, silent, gone after `stop`. */
export async function startTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const { properties = {}, directory: given, clock = systemClock, logger = silentLogger, hostName } = options;
  const directory = given ?? mkdtempSync(join(tmpdir(), 'ottla-test-'));
  // A node whose properties say what it is does not take the embedded profile's directory.
  const own = 'process.roles' in properties ? { 'log.dirs': directory } : {};
  const texts = new Map(Object.entries({ 'num.partitions': '4', ...own, ...properties }));
  const metrics = new MetricsRegistry();
  const node = await startNode(
    { ...systemEnvironment({ logger }), clock, metrics },
    {
      texts,
      embedded: { dataDirectory: directory, port: 0 },
      ...(hostName === undefined ? {} : { hostName }),
    },
  );
  const port = node.listeners[0]?.port ?? 0;
  return {
    port,
    clusterId: node.clusterId,
    directory,
    node,
    controllerPort: node.controllerListeners[0]?.port ?? 0,
    metrics,
    advertisedApis: () => advertisedApis(port),
    withClusterId: (bytes) => replaceAll(bytes, Buffer.from(RECORDED_CLUSTER_ID), Buffer.from(node.clusterId)),
    stop: async () => {
      await node.stop();
      if (given === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The keys that the ApiVersions answer at this port names. */
export async function advertisedApis(port: number): Promise<ReadonlySet<number>> {
  const { apiKeys } = await askApiVersions(port);
  return new Set(apiKeys.map(({ apiKey }) => apiKey));
}

async function askApiVersions(port: number) {
  const connection = await RawConnection.open(port);
  try {
    connection.write(
      encodeRequest(
        apiVersions,
        0,
        { correlationId: 1, clientId: 'test' },
        { clientSoftwareName: 'test', clientSoftwareVersion: '1' },
      ),
    );
    const frame = await connection.frame();
    if (frame === null) throw new Error('the node closed instead of answering ApiVersions');
    return decodeResponse(apiVersions, 0, frame).response;
  } finally {
    connection.destroy();
  }
}

function replaceAll(bytes: Buffer, what: Buffer, by: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(what); at !== -1; at = copy.indexOf(what, at + 1)) by.copy(copy, at);
  return copy;
}
