import { KafkaError } from '../../protocol/errors.ts';
import { messageOf } from './answers.ts';

/** Whose configs are meant. */
interface ConfigResourceId {
  readonly resourceType: number;
  readonly resourceName: string;
}

export interface ResourceAnswer extends ConfigResourceId {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

export const resourceDone = ({ resourceType, resourceName }: ConfigResourceId): ResourceAnswer => ({
  errorCode: 0,
  errorMessage: null,
  resourceType,
  resourceName,
});

export const resourceFailed = (resource: ConfigResourceId, error: KafkaError): ResourceAnswer => ({
  ...resourceDone(resource),
  errorCode: error.code,
  errorMessage: messageOf(error),
});

const keyOf = ({ resourceType, resourceName }: ConfigResourceId): string => `${resourceType}/${resourceName}`;

/** Throws INVALID_REQUEST unless the name of a resource is the id of this node. */
export const checkNodeId = (name: string, nodeId: number, otherwise: string): void => {
  if (!/^[+-]?\d+$/.test(name)) throw new KafkaError('INVALID_REQUEST', `Node id must be an integer, but it is: ${name}`);
  if (Number(name) !== nodeId) throw new KafkaError('INVALID_REQUEST', otherwise);
};

interface ResourceDecisions<R extends ConfigResourceId> {
  /** The answer where the controller need not be asked; null where it has to be. Throws what is to be told. */
  readonly here: (resource: R) => ResourceAnswer | null;
  readonly atController: (resources: R[]) => Promise<{ readonly responses: readonly ResourceAnswer[] }>;
}

/** Answers for each resource in the order of the request, whatever order the controller answers in. */
export const answerResources = async <R extends ConfigResourceId>(
  resources: readonly R[],
  { here, atController }: ResourceDecisions<R>,
): Promise<{ responses: ResourceAnswer[] }> => {
  const byKey = Map.groupBy(resources, keyOf);
  const answers = resources.map((resource) => {
    try {
      if ((byKey.get(keyOf(resource)) ?? []).length > 1)
        throw new KafkaError('INVALID_REQUEST', 'Each resource must appear at most once.');
      return here(resource);
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return resourceFailed(resource, error);
    }
  });
  const remaining = resources.filter((_, index) => answers[index] === null);
  const { responses } = remaining.length === 0 ? { responses: [] } : await atController(remaining);
  const decided = new Map(responses.map((answer) => [keyOf(answer), answer]));
  const inOrder = resources.map((resource, index) => answers[index] ?? decided.get(keyOf(resource)) ?? null);
  return { responses: inOrder.filter((answer) => answer !== null) };
};
