import type { BrokerRegistration } from '../metadata/image/cluster-image.ts';
import { metadataVersionOf } from '../metadata/image/features-image.ts';
import { directoryOf } from '../metadata/image/partition-registration.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { metadataVersionFacts } from '../metadata/metadata-version.ts';
import type { brokerHeartbeat } from '../protocol/messages/63-broker-heartbeat.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { checkBrokerEpoch } from './cluster-control.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';
import { absenceRecords, hasLeaderships, leadershipRecords, partitionsWhere, withoutLeader } from './leadership.ts';
import { hasOnlineDirectory } from './leader-acceptor.ts';

type Heartbeat = RequestOf<typeof brokerHeartbeat>;
type BrokerState = 'fenced' | 'unfenced' | 'controlled-shutdown' | 'shutdown-now';

/** Values of the tri-state fields in a change of a registration. */
const BECOMES_TRUE = 1;
const BECOMES_FALSE = -1;

export interface HeartbeatResult extends ControllerResult<ResponseInput<typeof brokerHeartbeat>> {
  readonly isInControlledShutdown: boolean;
}

/** A broker lives, and says what it wants: to be fenced or not, to shut down, and which of its directories have failed. */
export function heartbeatControl(view: ControllerView, request: Heartbeat): HeartbeatResult {
  const broker = checkBrokerEpoch(view, request.brokerId, request.brokerEpoch);
  const current = stateOf(broker);
  const next = nextState(view, broker, request);
  const records = next === current ? [] : transitionRecords(view, broker, { current, next });
  records.push(...directoryRecords(view, broker, request));
  return {
    records,
    response: {
      isCaughtUp: request.currentMetadataOffset >= view.registrationOffset(broker.id),
      isFenced: next === 'fenced' || next === 'shutdown-now',
      shouldShutDown: next === 'shutdown-now',
    },
    isInControlledShutdown: next === 'controlled-shutdown',
  };
}

/** The broker was not heard of for a whole session. */
export function expirationRecords(view: ControllerView, broker: BrokerRegistration): MetadataRecord[] {
  return [...absenceRecords(view, broker.id), fencingRecord(broker, BECOMES_TRUE)];
}

function stateOf(broker: BrokerRegistration): BrokerState {
  if (broker.fenced) return 'fenced';
  return broker.inControlledShutdown ? 'controlled-shutdown' : 'unfenced';
}

/**
 * A broker in controlled shutdown goes when it leads nothing any more and all that may lead know who does: only then does nobody ask it for
 * anything.
 */
function nextState(view: ControllerView, broker: BrokerRegistration, request: Heartbeat): BrokerState {
  const { wantFence, wantShutDown } = request;
  switch (stateOf(broker)) {
    case 'fenced':
      if (wantShutDown) return 'shutdown-now';
      return !wantFence && request.currentMetadataOffset >= view.registrationOffset(broker.id) ? 'unfenced' : 'fenced';
    case 'unfenced':
      if (wantFence) return wantShutDown ? 'shutdown-now' : 'fenced';
      return wantShutDown ? 'controlled-shutdown' : 'unfenced';
    default: {
      if (hasLeaderships(view, broker.id)) return 'controlled-shutdown';
      const since = view.sessions.controlledShutdownOffset(broker.id) ?? 0;
      return since <= view.sessions.lowestActiveOffset(view.image.cluster) ? 'shutdown-now' : 'controlled-shutdown';
    }
  }
}

function transitionRecords(
  view: ControllerView,
  broker: BrokerRegistration,
  { current, next }: { readonly current: BrokerState; readonly next: BrokerState },
): MetadataRecord[] {
  switch (next) {
    case 'unfenced':
      return [
        fencingRecord(broker, BECOMES_FALSE),
        ...leadershipRecords(view, partitionsWhere(view, withoutLeader), { brokerToAdd: broker.id }),
      ];
    case 'controlled-shutdown':
      return shutdownRecords(view, broker);
    case 'shutdown-now':
      return current === 'fenced' ? [] : expirationRecords(view, broker);
    default:
      return expirationRecords(view, broker);
  }
}

function shutdownRecords(view: ControllerView, broker: BrokerRegistration): MetadataRecord[] {
  const change = { brokerId: broker.id, brokerEpoch: broker.epoch, inControlledShutdown: BECOMES_TRUE };
  return [metadataRecord('BrokerRegistrationChangeRecord', 1, change), ...absenceRecords(view, broker.id)];
}

function fencingRecord({ id, epoch }: BrokerRegistration, fenced: number): MetadataRecord {
  return metadataRecord('BrokerRegistrationChangeRecord', 0, { brokerId: id, brokerEpoch: epoch, fenced });
}

/** Directories that failed since the broker registered, and those that take no new replicas. */
function directoryRecords(view: ControllerView, broker: BrokerRegistration, request: Heartbeat): MetadataRecord[] {
  const facts = metadataVersionFacts(metadataVersionOf(view.image.features));
  const records: MetadataRecord[] = [];
  const change = { brokerId: broker.id, brokerEpoch: broker.epoch };
  const { cordonedLogDirs, offlineLogDirs } = request;
  if (facts.isDirectoryAssignmentSupported) {
    const online = broker.logDirs.filter((id) => !offlineLogDirs.includes(id));
    if (online.length < broker.logDirs.length && online.length > 0) {
      records.push(metadataRecord('BrokerRegistrationChangeRecord', 2, { ...change, logDirs: online }));
      records.push(...lostReplicaRecords(view, { ...broker, logDirs: online }));
    }
  }
  const isNews = cordonedLogDirs !== null && !sameMembers(cordonedLogDirs, broker.cordonedLogDirs);
  if (facts.isCordonedLogDirsSupported && isNews) {
    records.push(metadataRecord('BrokerRegistrationChangeRecord', 3, { ...change, cordonedLogDirs }));
  }
  return records;
}

function sameMembers(a: readonly string[], b: readonly string[] | null): boolean {
  return b !== null && a.length === b.length && a.every((item) => b.includes(item));
}

/** The broker leads and is in sync no more where its replica was in a directory that failed. */
function lostReplicaRecords(view: ControllerView, broker: BrokerRegistration): MetadataRecord[] {
  const isLost = partitionsWhere(view, (partition) => {
    const directory = directoryOf(partition, broker.id);
    return directory !== undefined && !hasOnlineDirectory(broker, directory) && partition.isr.includes(broker.id);
  });
  return leadershipRecords(view, isLost, { brokerToRemove: broker.id });
}
