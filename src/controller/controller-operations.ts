import type { KafkaError } from '../protocol/errors.ts';
import { createTopics } from '../protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../protocol/messages/20-delete-topics.ts';
import { alterConfigs } from '../protocol/messages/33-alter-configs.ts';
import { createPartitions } from '../protocol/messages/37-create-partitions.ts';
import { electLeaders } from '../protocol/messages/43-elect-leaders.ts';
import { incrementalAlterConfigs } from '../protocol/messages/44-incremental-alter-configs.ts';
import { describeQuorum } from '../protocol/messages/55-describe-quorum.ts';
import { alterPartition } from '../protocol/messages/56-alter-partition.ts';
import { updateFeatures } from '../protocol/messages/57-update-features.ts';
import { brokerRegistration } from '../protocol/messages/62-broker-registration.ts';
import { brokerHeartbeat } from '../protocol/messages/63-broker-heartbeat.ts';
import { unregisterBroker } from '../protocol/messages/64-unregister-broker.ts';
import { allocateProducerIds } from '../protocol/messages/67-allocate-producer-ids.ts';
import { controllerRegistration } from '../protocol/messages/70-controller-registration.ts';
import { assignReplicasToDirs } from '../protocol/messages/73-assign-replicas-to-dirs.ts';
import { unregisterController } from '../protocol/messages/94-unregister-controller.ts';
import type { Api, RequestOf, ResponseInput } from '../protocol/schema.ts';
import { describeQuorumAnswer } from '../raft/describe-quorum.ts';
import {
  registerBrokerControl,
  registerControllerControl,
  unregisterBrokerControl,
  unregisterControllerControl,
} from './cluster-control.ts';
import { alterConfigsControl, incrementalAlterConfigsControl } from './configuration-control.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';
import { assignReplicasToDirsControl } from './directory-control.ts';
import { electLeadersControl } from './election-control.ts';
import { errorFields } from './error-fields.ts';
import { updateFeaturesControl } from './feature-control.ts';
import { heartbeatControl } from './heartbeat-control.ts';
import { alterPartitionControl } from './isr-control.ts';
import { checkPartitionsToAdd, createPartitionsControl } from './partition-creation.ts';
import { allocateProducerIdsControl } from './producer-id-control.ts';
import { type InParts, resourcesInParts, type ResourcesRequest, topicsInParts } from './request-parts.ts';
import { checkPartitionsToCreate, createTopicsControl } from './topic-creation.ts';
import { deleteTopicsControl } from './topic-deletion.ts';
import { ZERO_UUID } from '../base/uuid.ts';

/** How a request was made. */
export interface OperationContext {
  readonly version: number;
  /** Of the monotonic clock. */
  readonly now: number;
}

/** One thing that can be asked of the active controller. */
export interface Operation<A extends Api = Api> {
  readonly api: A;
  /** Looks, and says what to write and what to answer. Throws a KafkaError where the whole request is refused. */
  decide(view: ControllerView, request: RequestOf<A>, context: OperationContext): ControllerResult<ResponseInput<A>>;
  /** The answer to a request that is refused as a whole. */
  refused(request: RequestOf<A>, error: KafkaError): ResponseInput<A>;
  /** For requests that may name many things; `split` throws what the whole request is refused with. */
  readonly inParts?: InParts<RequestOf<A>, ResponseInput<A>>;
}

/** Checks an operation against its own API and gives it the type of the table. */
const operation = <const A extends Api>(definition: Operation<A>): Operation => definition;

const code = (_request: unknown, { code: errorCode }: KafkaError): { errorCode: number } => ({ errorCode });
const codeAndText = (_request: unknown, error: KafkaError): { errorCode: number; errorMessage: string } => errorFields(error);

const resources = {
  split: <Request extends ResourcesRequest>(_view: ControllerView, request: Request) => resourcesInParts(request),
  join: <Result>(responses: readonly { readonly responses: readonly Result[] }[]) => ({
    responses: responses.flatMap((part) => part.responses),
  }),
};

/** All of them, by API key. */
export const controllerOperations: readonly Operation[] = [
  operation({
    api: createTopics,
    decide: createTopicsControl,
    refused: ({ topics }, error) => ({
      topics: topics.map(({ name }) => ({
        name,
        topicId: ZERO_UUID,
        ...errorFields(error),
        topicConfigErrorCode: 0,
        configs: [],
      })),
    }),
    inParts: {
      split: (view, request) => {
        checkPartitionsToCreate(view, request);
        return topicsInParts(request);
      },
      join: (responses) => ({ topics: responses.flatMap(({ topics }) => topics) }),
    },
  }),
  operation({
    api: deleteTopics,
    decide: (view, request, { version }) => deleteTopicsControl(view, request, version),
    refused: ({ topics, topicNames }, error) => ({
      responses: [...topics, ...topicNames.map((name) => ({ name, topicId: ZERO_UUID }))].map(({ name, topicId }) => ({
        name,
        topicId,
        errorCode: error.code,
      })),
    }),
  }),
  operation({ api: alterConfigs, decide: alterConfigsControl, refused: refusedResources, inParts: resources }),
  operation({
    api: createPartitions,
    decide: createPartitionsControl,
    refused: ({ topics }, error) => ({ results: topics.map(({ name }) => ({ name, ...errorFields(error) })) }),
    inParts: {
      split: (view, request) => {
        checkPartitionsToAdd(view, request);
        return topicsInParts(request);
      },
      join: (responses) => ({ results: responses.flatMap(({ results }) => results) }),
    },
  }),
  operation({
    api: electLeaders,
    decide: electLeadersControl,
    refused: ({ topicPartitions }, error) => ({
      errorCode: error.code,
      replicaElectionResults: (topicPartitions ?? []).map(({ topic, partitions }) => ({
        topic,
        partitionResult: partitions.map((partitionId) => ({ partitionId, ...errorFields(error) })),
      })),
    }),
  }),
  operation({
    api: incrementalAlterConfigs,
    decide: incrementalAlterConfigsControl,
    refused: refusedResources,
    inParts: resources,
  }),
  operation({
    api: describeQuorum,
    decide: ({ quorum }, request) => ({ records: [], response: describeQuorumAnswer(request, quorum) }),
    refused: (request, error) => ({ ...codeAndText(request, error), topics: [], nodes: [] }),
  }),
  operation({
    api: alterPartition,
    decide: alterPartitionControl,
    refused: (request, error) => ({ ...code(request, error), topics: [] }),
  }),
  operation({ api: updateFeatures, decide: updateFeaturesControl, refused: codeAndText }),
  operation({
    api: brokerRegistration,
    decide: (view, request, { now }) => registerBrokerControl(view, request, { now }),
    refused: code,
  }),
  operation({
    api: brokerHeartbeat,
    decide: heartbeatControl,
    refused: (request, error) => ({ ...code(request, error), shouldShutDown: false }),
  }),
  operation({ api: unregisterBroker, decide: unregisterBrokerControl, refused: codeAndText }),
  operation({
    api: allocateProducerIds,
    decide: allocateProducerIdsControl,
    refused: (request, error) => ({ ...code(request, error), producerIdStart: 0, producerIdLen: 0 }),
  }),
  operation({ api: controllerRegistration, decide: registerControllerControl, refused: codeAndText }),
  operation({
    api: assignReplicasToDirs,
    decide: assignReplicasToDirsControl,
    refused: (request, error) => ({ ...code(request, error), directories: [] }),
  }),
  operation({ api: unregisterController, decide: unregisterControllerControl, refused: codeAndText }),
];

function refusedResources(
  { resources }: { readonly resources: readonly { readonly resourceType: number; readonly resourceName: string }[] },
  error: KafkaError,
): { responses: { errorCode: number; errorMessage: string; resourceType: number; resourceName: string }[] } {
  return {
    responses: resources.map(({ resourceType, resourceName }) => ({ ...errorFields(error), resourceType, resourceName })),
  };
}

export const operationOf = (api: Api): Operation | undefined => controllerOperations.find((each) => each.api.key === api.key);
