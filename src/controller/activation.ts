import { featureRanges } from '../metadata/image/cluster-image.ts';
import { metadataVersionOf } from '../metadata/image/features-image.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { METADATA_VERSION_FEATURE, metadataVersionFacts } from '../metadata/metadata-version.ts';
import { ELR_VERSION_FEATURE, SUPPORTED_FEATURES } from '../metadata/supported-features.ts';
import type { ControllerSettings } from './controller-view.ts';

export interface ActivationOptions {
  readonly settings: ControllerSettings;
  readonly bootstrapRecords: readonly MetadataRecord[];
  readonly isLogEmpty: boolean;
  /** The controller before died in the middle of a transaction. */
  readonly isInTransaction: boolean;
}

/** What a controller writes when it becomes active, batch by batch. */
export function activationRecords(image: MetadataImage, options: ActivationOptions): MetadataRecord[][] {
  const { settings, isLogEmpty, isInTransaction } = options;
  const batches: MetadataRecord[][] = [];
  if (isInTransaction) batches.push([metadataRecord('AbortTransactionRecord', 0, { reason: 'Controller failover' })]);
  if (isLogEmpty) batches.push(bootstrapBatch(options));
  const metadataVersion = isLogEmpty ? bootstrapLevel(options.bootstrapRecords) : metadataVersionOf(image.features);
  const registered = image.cluster.controllers.get(settings.nodeId);
  const { isControllerRegistrationSupported } = metadataVersionFacts(metadataVersion);
  if (isControllerRegistrationSupported && registered?.incarnationId !== settings.incarnationId) {
    batches.push([registrationOf(settings)]);
  }
  return batches;
}

/** The first records of a cluster: its features, and the minimum of in-sync replicas where eligible leader replicas need one. */
function bootstrapBatch({ bootstrapRecords, settings }: ActivationOptions): MetadataRecord[] {
  const records = [...bootstrapRecords];
  if (levelIn(bootstrapRecords, ELR_VERSION_FEATURE) > 0) {
    const value = String(settings.defaultMinInsyncReplicas);
    records.push(metadataRecord('ConfigRecord', 0, { resourceType: 4, resourceName: '', name: 'min.insync.replicas', value }));
  }
  if (!metadataVersionFacts(bootstrapLevel(bootstrapRecords)).isMetadataTransactionSupported) return records;
  return [
    metadataRecord('BeginTransactionRecord', 0, { name: 'Bootstrap records' }),
    ...records,
    metadataRecord('EndTransactionRecord', 0, {}),
  ];
}

const bootstrapLevel = (records: readonly MetadataRecord[]): number => levelIn(records, METADATA_VERSION_FEATURE);

function levelIn(records: readonly MetadataRecord[], feature: string): number {
  for (const record of records) {
    if (record.type === 'FeatureLevelRecord' && record.value.name === feature) return record.value.featureLevel;
  }
  return 0;
}

function registrationOf({ nodeId, incarnationId, endpoints }: ControllerSettings): MetadataRecord {
  return metadataRecord('RegisterControllerRecord', 0, {
    controllerId: nodeId,
    incarnationId,
    zkMigrationReady: false,
    endPoints: endpoints,
    features: featureRanges(SUPPORTED_FEATURES),
  });
}
