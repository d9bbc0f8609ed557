import { isReservedDirectory } from '../base/uuid.ts';
import type { BrokerRegistration, VersionRange } from '../metadata/image/cluster-image.ts';
import { metadataVersionOf } from '../metadata/image/features-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { METADATA_VERSION_FEATURE, metadataVersionFacts } from '../metadata/metadata-version.ts';
import { KRAFT_VERSION_FEATURE } from '../metadata/supported-features.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { brokerRegistration } from '../protocol/messages/62-broker-registration.ts';
import type { unregisterBroker } from '../protocol/messages/64-unregister-broker.ts';
import type { controllerRegistration } from '../protocol/messages/70-controller-registration.ts';
import type { unregisterController } from '../protocol/messages/94-unregister-controller.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { ControllerResult } from './controller-result.ts';
import { type ControllerView, isElrEnabled } from './controller-view.ts';
import { absenceRecords, leadershipRecords, partitionsWhere } from './leadership.ts';

type Registration = RequestOf<typeof brokerRegistration>;

/** The registration that a request in the name of a broker belongs to. Throws STALE_BROKER_EPOCH. */
export function checkBrokerEpoch({ image }: ControllerView, brokerId: number, brokerEpoch: number): BrokerRegistration {
  const broker = image.cluster.brokers.get(brokerId);
  if (broker === undefined) {
    throw new KafkaError('STALE_BROKER_EPOCH', `No broker registration found for broker id ${brokerId}`);
  }
  if (broker.epoch !== brokerEpoch) {
    throw new KafkaError('STALE_BROKER_EPOCH', `Expected broker epoch ${broker.epoch}, but got broker epoch ${brokerEpoch}`);
  }
  return broker;
}

/** A broker says that it is there. It gets an epoch, and is fenced until its heartbeats say that it has caught up. */
export function registerBrokerControl(
  view: ControllerView,
  request: Registration,
  { now }: { readonly now: number },
): ControllerResult<ResponseInput<typeof brokerRegistration>> {
  const { image, settings } = view;
  const { brokerId, clusterId, incarnationId } = request;
  if (clusterId !== settings.clusterId) {
    throw new KafkaError('INCONSISTENT_CLUSTER_ID', `Expected cluster ID ${settings.clusterId}, but got cluster ID ${clusterId}`);
  }
  const existing = image.cluster.brokers.get(brokerId);
  const amended = existing?.incarnationId === incarnationId ? existing : null;
  if (existing !== undefined && amended === null && isHeldByAnother(view, existing, now)) {
    throw new KafkaError('DUPLICATE_BROKER_REGISTRATION', 'Another broker is registered with that broker id.');
  }
  const version = metadataVersionFacts(metadataVersionOf(image.features)).registerBrokerRecordVersion;
  if (version >= 3) checkDirectories(view, request);
  checkFeatures(view, request);
  const records = amended === null ? restartRecords(view, request, existing ?? null) : [];
  const brokerEpoch = amended === null ? view.nextOffset : amended.epoch;
  records.push(
    metadataRecord('RegisterBrokerRecord', version, {
      brokerId,
      isMigratingZkBroker: false,
      incarnationId,
      brokerEpoch,
      endPoints: request.listeners,
      features: request.features,
      rack: request.rack,
      fenced: amended?.fenced ?? true,
      inControlledShutdown: amended?.inControlledShutdown ?? false,
      logDirs: version >= 3 ? request.logDirs : [],
    }),
  );
  return { records, response: { brokerEpoch }, isAtomic: true };
}

/**
 * Whether another process holds the registration. One that was heard of within its session does, unless it is this very node: the controller
 * runs in the broker's process, so that the broker which registered before is gone, and nobody need wait for its session to end.
 */
function isHeldByAnother({ sessions, settings }: ControllerView, existing: BrokerRegistration, now: number): boolean {
  return existing.id !== settings.nodeId && sessions.isAlive(existing.id, existing.epoch, now);
}

function checkDirectories({ image }: ControllerView, { brokerId, logDirs }: Registration): void {
  const invalid = (message: string): KafkaError => new KafkaError('INVALID_REGISTRATION', message);
  if (logDirs.length === 0) throw invalid('No directories specified in request');
  if (logDirs.some(isReservedDirectory)) throw invalid('Reserved directory ID in request');
  if (new Set(logDirs).size !== logDirs.length) throw invalid('Duplicate directory ID in request');
  for (const other of image.cluster.brokers.values()) {
    const shared = other.id === brokerId ? undefined : other.logDirs.find((id) => logDirs.includes(id));
    if (shared !== undefined) throw invalid(`Broker ${other.id} is already registered with directory ${shared}`);
  }
}

/** A broker must understand every level that was finalized. A feature that it does not name it has at level 0 only. */
function checkFeatures({ image }: ControllerView, request: Registration): void {
  const ranges = new Map<string, VersionRange>(
    request.features.map((range) => [range.name, { min: range.minSupportedVersion, max: range.maxSupportedVersion }]),
  );
  if (!ranges.has(METADATA_VERSION_FEATURE)) {
    throw new KafkaError('INVALID_REGISTRATION', 'Request features do not contain metadata.version');
  }
  for (const [name, level] of image.features.finalized) {
    const { min, max } = ranges.get(name) ?? { min: 0, max: 0 };
    if (name === KRAFT_VERSION_FEATURE || (level >= min && level <= max)) continue;
    throw new KafkaError(
      'UNSUPPORTED_VERSION',
      `Unable to register because the broker does not support finalized version ${level} of ${name}. ` +
        `The broker wants a version between ${min} and ${max}, inclusive.`,
    );
  }
}

/**
 * A new incarnation is not in the ISRs of the old one. If the old one did not stop in order (it would have left its epoch in a file), what it had
 * not yet on disk is lost, and it is no eligible leader either (KIP-966).
 */
function restartRecords(view: ControllerView, request: Registration, existing: BrokerRegistration | null): MetadataRecord[] {
  const { brokerId, previousBrokerEpoch } = request;
  if (!isElrEnabled(view) || existing?.epoch === previousBrokerEpoch) return absenceRecords(view, brokerId);
  const isConcerned = ({ isr, elr }: { isr: readonly number[]; elr: readonly number[] }): boolean =>
    isr.includes(brokerId) || elr.includes(brokerId);
  return leadershipRecords(view, partitionsWhere(view, isConcerned), { brokerWithUncleanShutdown: brokerId });
}

/** Takes a broker out of the cluster for good. */
export function unregisterBrokerControl(
  view: ControllerView,
  { brokerId }: RequestOf<typeof unregisterBroker>,
): ControllerResult<ResponseInput<typeof unregisterBroker>> {
  const broker = view.image.cluster.brokers.get(brokerId);
  if (broker === undefined) {
    throw new KafkaError('BROKER_ID_NOT_REGISTERED', `Broker ID ${brokerId} is not currently registered`);
  }
  const record = metadataRecord('UnregisterBrokerRecord', 0, { brokerId, brokerEpoch: broker.epoch });
  return { records: [...absenceRecords(view, brokerId), record], response: { errorMessage: '' } };
}

export function registerControllerControl(
  view: ControllerView,
  request: RequestOf<typeof controllerRegistration>,
): ControllerResult<ResponseInput<typeof controllerRegistration>> {
  if (!metadataVersionFacts(metadataVersionOf(view.image.features)).isControllerRegistrationSupported) {
    throw new KafkaError('UNSUPPORTED_VERSION', 'The current MetadataVersion is too old to support controller registrations.');
  }
  const { controllerId, incarnationId, zkMigrationReady, features } = request;
  const value = { controllerId, incarnationId, zkMigrationReady, endPoints: request.listeners, features };
  return { records: [metadataRecord('RegisterControllerRecord', 0, value)], response: { errorMessage: '' }, isAtomic: true };
}

export function unregisterControllerControl(
  view: ControllerView,
  { controllerId }: RequestOf<typeof unregisterController>,
): ControllerResult<ResponseInput<typeof unregisterController>> {
  if (!view.image.cluster.controllers.has(controllerId)) {
    throw new KafkaError('CONTROLLER_ID_NOT_REGISTERED', `Controller ID ${controllerId} is not currently registered.`);
  }
  return { records: [metadataRecord('UnregisterControllerRecord', 0, { controllerId })], response: { errorMessage: '' } };
}
