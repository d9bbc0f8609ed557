import { PersistentMap } from '../../base/persistent-map.ts';
import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';
import { metadataVersionFacts } from '../metadata-version.ts';

/** An address of a node under the name of its listener. */
export interface NodeEndpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** PLAINTEXT 0, SSL 1, SASL_PLAINTEXT 2, SASL_SSL 3. */
  readonly securityProtocol: number;
}

export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** A broker as the controller knows it. */
export interface BrokerRegistration {
  readonly id: number;
  /** The offset of its registration record: newer incarnations have greater ones. */
  readonly epoch: number;
  readonly incarnationId: string;
  /** By listener name. */
  readonly listeners: ReadonlyMap<string, NodeEndpoint>;
  readonly supportedFeatures: ReadonlyMap<string, VersionRange>;
  readonly rack: string | null;
  readonly fenced: boolean;
  readonly inControlledShutdown: boolean;
  readonly isMigratingZkBroker: boolean;
  /** Ids of the log directories that are online; empty where the metadata version has no directory assignment. */
  readonly logDirs: readonly string[];
  /** Directories that take no new replicas; null where never told. */
  readonly cordonedLogDirs: readonly string[] | null;
}

export interface ControllerRegistration {
  readonly id: number;
  readonly incarnationId: string;
  readonly zkMigrationReady: boolean;
  readonly listeners: ReadonlyMap<string, NodeEndpoint>;
  readonly supportedFeatures: ReadonlyMap<string, VersionRange>;
}

export interface ClusterImage {
  readonly brokers: PersistentMap<number, BrokerRegistration>;
  readonly controllers: PersistentMap<number, ControllerRegistration>;
}

export const EMPTY_CLUSTER: ClusterImage = { brokers: PersistentMap.ofNumbers(), controllers: PersistentMap.ofNumbers() };

/** What changed in the nodes. */
export class ClusterDelta {
  /** Broker → its new registration, null where it was unregistered. */
  readonly changedBrokers = new Map<number, BrokerRegistration | null>();
  readonly changedControllers = new Map<number, ControllerRegistration | null>();
  readonly #image: ClusterImage;

  constructor(image: ClusterImage) {
    this.#image = image;
  }

  broker(id: number): BrokerRegistration | null {
    const changed = this.changedBrokers.get(id);
    return changed === undefined ? (this.#image.brokers.get(id) ?? null) : changed;
  }

  replayRegisterBroker(record: MetadataRecordValues['RegisterBrokerRecord']): void {
    this.changedBrokers.set(record.brokerId, {
      id: record.brokerId,
      epoch: record.brokerEpoch,
      incarnationId: record.incarnationId,
      listeners: listenersOf(record.endPoints),
      supportedFeatures: rangesOf(record.features),
      rack: record.rack,
      fenced: record.fenced,
      inControlledShutdown: record.inControlledShutdown,
      isMigratingZkBroker: record.isMigratingZkBroker,
      logDirs: record.logDirs,
      cordonedLogDirs: record.cordonedLogDirs,
    });
  }

  replayUnregisterBroker(record: MetadataRecordValues['UnregisterBrokerRecord']): void {
    this.changedBrokers.set(record.brokerId, null);
  }

  replayFence(id: number, epoch: number, fenced: boolean): void {
    this.#changeBroker(id, epoch, (broker) => ({ ...broker, fenced }));
  }

  replayRegistrationChange(record: MetadataRecordValues['BrokerRegistrationChangeRecord']): void {
    this.#changeBroker(record.brokerId, record.brokerEpoch, (broker) => ({
      ...broker,
      fenced: record.fenced === 0 ? broker.fenced : record.fenced > 0,
      inControlledShutdown: record.inControlledShutdown === 0 ? broker.inControlledShutdown : record.inControlledShutdown > 0,
      logDirs: record.logDirs.length === 0 ? broker.logDirs : record.logDirs,
      cordonedLogDirs: record.cordonedLogDirs ?? broker.cordonedLogDirs,
    }));
  }

  replayRegisterController(record: MetadataRecordValues['RegisterControllerRecord']): void {
    this.changedControllers.set(record.controllerId, {
      id: record.controllerId,
      incarnationId: record.incarnationId,
      zkMigrationReady: record.zkMigrationReady,
      listeners: listenersOf(record.endPoints),
      supportedFeatures: rangesOf(record.features),
    });
  }

  replayUnregisterController(record: MetadataRecordValues['UnregisterControllerRecord']): void {
    this.changedControllers.set(record.controllerId, null);
  }

  finishSnapshot(): void {
    for (const id of this.#image.brokers.keys()) if (!this.changedBrokers.has(id)) this.changedBrokers.set(id, null);
    for (const id of this.#image.controllers.keys()) if (!this.changedControllers.has(id)) this.changedControllers.set(id, null);
  }

  apply(): ClusterImage {
    let { brokers, controllers } = this.#image;
    for (const [id, broker] of this.changedBrokers) brokers = broker === null ? brokers.delete(id) : brokers.set(id, broker);
    for (const [id, controller] of this.changedControllers) {
      controllers = controller === null ? controllers.delete(id) : controllers.set(id, controller);
    }
    return { brokers, controllers };
  }

  /** A change that names another incarnation than the registered one is about a broker that is gone. */
  #changeBroker(id: number, epoch: number, change: (broker: BrokerRegistration) => BrokerRegistration): void {
    const broker = this.broker(id);
    if (broker !== null && broker.epoch === epoch) this.changedBrokers.set(id, change(broker));
  }
}

function listenersOf(endPoints: readonly NodeEndpoint[]): ReadonlyMap<string, NodeEndpoint> {
  return new Map(endPoints.map(({ name, host, port, securityProtocol }) => [name, { name, host, port, securityProtocol }]));
}

function rangesOf(
  features: readonly { readonly name: string; readonly minSupportedVersion: number; readonly maxSupportedVersion: number }[],
): ReadonlyMap<string, VersionRange> {
  return new Map(features.map((range) => [range.name, { min: range.minSupportedVersion, max: range.maxSupportedVersion }]));
}

/** The registration as a record at the version that the metadata version allows. */
export function registerBrokerRecord(broker: BrokerRegistration, metadataVersion: number): MetadataRecord {
  const version = metadataVersionFacts(metadataVersion).registerBrokerRecordVersion;
  return metadataRecord('RegisterBrokerRecord', version, {
    brokerId: broker.id,
    isMigratingZkBroker: version >= 2 && broker.isMigratingZkBroker,
    incarnationId: broker.incarnationId,
    brokerEpoch: broker.epoch,
    endPoints: [...broker.listeners.values()],
    features: featureRanges(broker.supportedFeatures),
    rack: broker.rack,
    fenced: broker.fenced,
    inControlledShutdown: version >= 1 && broker.inControlledShutdown,
    logDirs: version >= 3 ? broker.logDirs : [],
    cordonedLogDirs: version >= 4 ? broker.cordonedLogDirs : null,
  });
}

export function featureRanges(
  ranges: ReadonlyMap<string, VersionRange>,
): { name: string; minSupportedVersion: number; maxSupportedVersion: number }[] {
  return [...ranges].map(([name, { min, max }]) => ({ name, minSupportedVersion: min, maxSupportedVersion: max }));
}

export function* clusterRecords(image: ClusterImage, metadataVersion: number): Generator<MetadataRecord> {
  for (const broker of image.brokers.values()) yield registerBrokerRecord(broker, metadataVersion);
  if (!metadataVersionFacts(metadataVersion).isControllerRegistrationSupported) return;
  for (const controller of image.controllers.values()) {
    yield metadataRecord('RegisterControllerRecord', 0, {
      controllerId: controller.id,
      incarnationId: controller.incarnationId,
      zkMigrationReady: controller.zkMigrationReady,
      endPoints: [...controller.listeners.values()],
      features: featureRanges(controller.supportedFeatures),
    });
  }
}
