import { metadataRecord } from '../metadata/metadata-record.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { featureLevel, metadataVersionOf } from '../metadata/image/features-image.ts';
import { configsOf } from '../metadata/image/configs-image.ts';
import { METADATA_VERSION_FEATURE } from '../metadata/metadata-version.ts';
import {
  ELR_VERSION_FEATURE,
  FEATURE_LEVELS,
  KRAFT_VERSION_FEATURE,
  SUPPORTED_FEATURES,
} from '../metadata/supported-features.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { updateFeatures } from '../protocol/messages/57-update-features.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';

type Request = RequestOf<typeof updateFeatures>;
type Response = ResponseInput<typeof updateFeatures>;

const SAFE_DOWNGRADE = 2;
const UNSAFE_DOWNGRADE = 3;
const UPGRADE = 1;

interface Update {
  readonly feature: string;
  readonly level: number;
  readonly upgradeType: number;
}

/** Sets the levels of features, all of them or none. */
export function updateFeaturesControl(view: ControllerView, request: Request): ControllerResult<Response> {
  const records: MetadataRecord[] = [];
  try {
    for (const { feature, maxVersionLevel: level, upgradeType, allowDowngrade } of lastOfEach(request.featureUpdates)) {
      const type = allowDowngrade ? SAFE_DOWNGRADE : upgradeType;
      records.push(...updateRecords(view, { feature, level, upgradeType: type }));
    }
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    throw new KafkaError(
      error.errorName,
      `The update failed for all features since the following feature had an error: ${error.message}`,
    );
  }
  // Versions before 2 name each feature; the text is Kafka's.
  const results = request.featureUpdates.map(({ feature }) => ({ feature, errorMessage: 'NONE' }));
  return { records: request.validateOnly ? [] : records, response: { errorMessage: null, results }, isAtomic: true };
}

/** Of a feature that is named twice, what was said last counts. */
const lastOfEach = (updates: Request['featureUpdates']): Request['featureUpdates'] => [
  ...new Map(updates.map((update) => [update.feature, update])).values(),
];

function updateRecords(view: ControllerView, update: Update): MetadataRecord[] {
  const { feature, level, upgradeType } = update;
  const refused = (reason: string): KafkaError =>
    new KafkaError('INVALID_UPDATE_VERSION', `Invalid update version ${level} for feature ${feature}. ${reason}`);
  if (upgradeType < UPGRADE || upgradeType > UNSAFE_DOWNGRADE) {
    throw refused('The controller does not support the given upgrade type.');
  }
  if (level < 0) throw refused('A feature version cannot be less than 0.');
  checkSupport(view, update, refused);
  const { image } = view;
  const current = featureLevel(image.features, feature);
  if (level < current && upgradeType === UPGRADE) {
    throw refused(
      "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe downgrade.",
    );
  }
  if (feature === METADATA_VERSION_FEATURE && level < current) throw metadataDowngrade(current, update);
  if (feature === KRAFT_VERSION_FEATURE && level !== current) {
    throw refused('Changing the version of the metadata quorum is not supported by this controller yet.');
  }
  checkDependencies(view, update, refused);
  const record = metadataRecord('FeatureLevelRecord', 0, { name: feature, featureLevel: level });
  return feature === ELR_VERSION_FEATURE && level > 0 ? [...minimumInsyncReplicas(view), record] : [record];
}

/** This controller, the others and every broker must know the level. */
function checkSupport(view: ControllerView, { feature, level }: Update, refused: (reason: string) => KafkaError): void {
  const { settings, image } = view;
  const own = SUPPORTED_FEATURES.get(feature);
  if (own === undefined) {
    // Every node can do without a feature, even without one that is none.
    throw refused(
      level === 0 ? `Feature ${feature} not found.` : `Local controller ${settings.nodeId} does not support this feature.`,
    );
  }
  if (level < own.min || level > own.max) {
    throw refused(`Local controller ${settings.nodeId} only supports versions ${own.min}-${own.max}`);
  }
  const nodes = [
    ...[...image.cluster.brokers.values()].map((node) => ['Broker', node] as const),
    ...[...image.cluster.controllers.values()].map((node) => ['Controller', node] as const),
  ];
  for (const [kind, { id, supportedFeatures }] of nodes) {
    if (kind === 'Controller' && id === settings.nodeId) continue;
    const range = supportedFeatures.get(feature);
    if (range === undefined && level > 0) throw refused(`${kind} ${id} does not support this feature.`);
    if (range !== undefined && (level < range.min || level > range.max)) {
      throw refused(`${kind} ${id} only supports versions ${range.min}-${range.max}`);
    }
  }
}

function metadataDowngrade(current: number, { level, upgradeType }: Update): KafkaError {
  const reason =
    upgradeType === UNSAFE_DOWNGRADE
      ? 'Unsafe metadata downgrade is not supported in this version.'
      : 'Refusing to perform the requested downgrade because it might delete metadata information.';
  return new KafkaError(
    'INVALID_UPDATE_VERSION',
    `Unsupported metadata.version downgrade from ${current} to ${level}. ${reason}`,
  );
}

function checkDependencies({ image }: ControllerView, { feature, level }: Update, refused: (reason: string) => KafkaError): void {
  for (const [needed, atLeast] of Object.entries(FEATURE_LEVELS[feature]?.[level - 1]?.dependencies ?? {})) {
    const has = needed === METADATA_VERSION_FEATURE ? metadataVersionOf(image.features) : featureLevel(image.features, needed);
    if (has < atLeast) throw refused(`It depends on ${needed} at level ${atLeast}, which is at ${has}.`);
  }
}

/** Eligible leader replicas need a minimum of in-sync replicas that all brokers agree on. */
function minimumInsyncReplicas({ image, settings }: ControllerView): MetadataRecord[] {
  if (configsOf(image.configs, { type: 'broker', name: '' }).has('min.insync.replicas')) return [];
  const value = String(settings.defaultMinInsyncReplicas);
  return [metadataRecord('ConfigRecord', 0, { resourceType: 4, resourceName: '', name: 'min.insync.replicas', value })];
}
