import type { ConfigStore } from '../../config/config-store.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { SUPPORTED_FEATURES } from '../../metadata/supported-features.ts';
import { codeOf, type ErrorName } from '../../protocol/errors.ts';
import { apiVersions } from '../../protocol/messages/18-api-versions.ts';
import type { Api, RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { versionRange } from '../../protocol/versions.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof apiVersions>;
type Response = ResponseInput<typeof apiVersions>;

const SOFTWARE_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;
const PRODUCE = 0;

/** Whom the handler asks; on a controller's listener as well, where it matters not which node a client means. */
export interface ApiVersionsServices {
  readonly configs: ConfigStore;
  readonly metadata: { readonly image: MetadataImage };
  /** Whom a client has to mean; null for anybody. */
  readonly identity: { readonly clusterId: string; readonly nodeId: number } | null;
}

/**
 * ApiVersions v0-5. v3 features (KIP-584) and the client's software (KIP-511), v4 features whose least level is 0 (KIP-1022), v5 the cluster and node that the
 * client means to talk to (KIP-1242). What is offered is what has a handler.
 */
export const apiVersionsHandler = (services: ApiVersionsServices, apis: () => readonly Api[]): Handler =>
  defineHandler<typeof apiVersions>({
    api: apiVersions,
    handle: (request, context) => {
      const fault = faultOf(services, request, context);
      if (fault !== null) return refusal(fault);
      const areUnstableEnabled = services.configs.broker()['unstable.api.versions.enable'];
      const { features, provenance } = services.metadata.image;
      return {
        apiKeys: apis().map((api) => ({ apiKey: api.key, ...offeredVersions(api, areUnstableEnabled) })),
        supportedFeatures: supportedFeatures(context.apiVersion),
        finalizedFeaturesEpoch: provenance.offset,
        finalizedFeatures: [...features.finalized].map(([name, level]) => ({
          name,
          maxVersionLevel: level,
          minVersionLevel: level,
        })),
      };
    },
    failed: (_request, error) => refusal(error.errorName),
  });

/** The answer, in version 0, to a version that is not spoken here: it says which are (KIP-511). */
export const unsupportedApiVersionsAnswer: Response = {
  errorCode: codeOf('UNSUPPORTED_VERSION'),
  apiKeys: [{ apiKey: apiVersions.key, minVersion: apiVersions.minVersion, maxVersion: apiVersions.maxVersion }],
};

const refusal = (error: ErrorName): Response =>
  error === 'UNSUPPORTED_VERSION' ? unsupportedApiVersionsAnswer : { errorCode: codeOf(error), apiKeys: [] };

const faultOf = ({ identity }: ApiVersionsServices, request: Request, { apiVersion }: RequestContext): ErrorName | null => {
  if (apiVersion < 3) return null;
  const areNamesValid = SOFTWARE_NAME.test(request.clientSoftwareName) && SOFTWARE_NAME.test(request.clientSoftwareVersion);
  if (!areNamesValid) return 'INVALID_REQUEST';
  if (apiVersion < 5) return null;
  const namesCluster = request.clusterId !== null;
  if (namesCluster !== (request.nodeId !== -1)) return 'INVALID_REQUEST';
  if (!namesCluster || identity === null) return null;
  const isMeant = request.clusterId === identity.clusterId && request.nodeId === identity.nodeId;
  return isMeant ? null : 'REBOOTSTRAP_REQUIRED';
};

/** Produce claims versions that no broker accepts any more: librdkafka takes a broker without them for a very old one (KAFKA-18659). */
const offeredVersions = (
  api: Api,
  areUnstableEnabled: boolean,
): { readonly minVersion: number; readonly maxVersion: number } => ({
  minVersion: api.key === PRODUCE ? 0 : api.minVersion,
  maxVersion: api.unstable === undefined || areUnstableEnabled ? api.maxVersion : versionRange(api.unstable).min - 1,
});

/** Clients of v3 fail on a least level of 0. */
const supportedFeatures = (version: number): Response['supportedFeatures'] =>
  [...SUPPORTED_FEATURES]
    .filter(([, { min }]) => version >= 4 || min > 0)
    .map(([name, { min, max }]) => ({ name, minVersion: min, maxVersion: max }));
