import { brokerHeartbeat } from '../../../src/protocol/messages/63-broker-heartbeat.ts';
import { brokerRegistration } from '../../../src/protocol/messages/62-broker-registration.ts';
import { directory, incarnation, type Step, step } from './step.ts';

const features = [
  { name: 'metadata.version', minSupportedVersion: 7, maxSupportedVersion: 33 },
  { name: 'eligible.leader.replicas.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
  { name: 'group.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
  { name: 'kraft.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
  { name: 'share.version', minSupportedVersion: 0, maxSupportedVersion: 2 },
  { name: 'streams.version', minSupportedVersion: 0, maxSupportedVersion: 1 },
  { name: 'transaction.version', minSupportedVersion: 0, maxSupportedVersion: 2 },
];

interface Registration {
  readonly incarnation?: number;
  readonly logDirs?: readonly string[];
  readonly rack?: string | null;
  readonly features?: typeof features;
  readonly clusterId?: string;
  readonly port?: number;
  /** Epoch of the stop before; 'last' for that of the registration before. */
  readonly previousEpoch?: number | 'last';
}

export const register = (note: string, brokerId: number, options: Registration = {}): Step =>
  step(note, brokerRegistration, (known) => ({
    brokerId,
    clusterId: options.clusterId ?? known.clusterId,
    incarnationId: incarnation(options.incarnation ?? brokerId),
    listeners: [{ name: 'PLAINTEXT', host: 'localhost', port: options.port ?? 9000 + brokerId, securityProtocol: 0 }],
    features: options.features ?? features,
    rack: options.rack ?? null,
    logDirs: options.logDirs ?? [directory(brokerId)],
    previousBrokerEpoch: options.previousEpoch === 'last' ? known.epoch(brokerId) : (options.previousEpoch ?? -1),
  }));

export const oldFeatures = features.map((each) =>
  each.name === 'metadata.version' ? { ...each, maxSupportedVersion: 20 } : each,
);

interface Heartbeat {
  readonly offset?: number;
  readonly epoch?: number;
  readonly wantFence?: boolean;
  readonly wantShutDown?: boolean;
  readonly offlineLogDirs?: readonly string[];
  readonly cordonedLogDirs?: readonly string[] | null;
}

/** Farther than any metadata log of the scenario. */
export const CAUGHT_UP = 1_000_000;

export const heartbeat = (note: string, brokerId: number, options: Heartbeat = {}): Step =>
  step(note, brokerHeartbeat, (known) => ({
    brokerId,
    brokerEpoch: options.epoch ?? known.epoch(brokerId),
    currentMetadataOffset: options.offset ?? CAUGHT_UP,
    wantFence: options.wantFence ?? false,
    wantShutDown: options.wantShutDown ?? false,
    ...(options.offlineLogDirs === undefined ? {} : { offlineLogDirs: options.offlineLogDirs }),
    ...(options.cordonedLogDirs === undefined ? {} : { cordonedLogDirs: options.cordonedLogDirs }),
  }));
