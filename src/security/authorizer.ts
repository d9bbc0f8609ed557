import type { Principal } from './principal.ts';

/** What may be done with a resource, with the number by which Kafka knows it: its bit in `authorizedOperations`. */
export const aclOperations = {
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  CLUSTER_ACTION: 9,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
  IDEMPOTENT_WRITE: 12,
  CREATE_TOKENS: 13,
  DESCRIBE_TOKENS: 14,
  TWO_PHASE_COMMIT: 15,
} as const;

export type AclOperation = keyof typeof aclOperations;
export type ResourceType = 'TOPIC' | 'GROUP' | 'CLUSTER' | 'TRANSACTIONAL_ID' | 'DELEGATION_TOKEN' | 'USER';

/** The only name of a resource of type CLUSTER. */
export const CLUSTER_NAME = 'kafka-cluster';

/** What makes sense with a resource, as far as answers list it. */
export const supportedOperations: Readonly<Record<'TOPIC' | 'GROUP' | 'CLUSTER', readonly AclOperation[]>> = {
  TOPIC: ['READ', 'WRITE', 'CREATE', 'DELETE', 'ALTER', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  GROUP: ['READ', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  CLUSTER: ['CREATE', 'ALTER', 'DESCRIBE', 'CLUSTER_ACTION', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS', 'IDEMPOTENT_WRITE'],
};

/** The sender of a request, as far as its rights depend on it. */
export interface Subject {
  readonly principal: Principal;
  readonly clientHost: string;
}

/** Decides who may do what. Asked for each request, so that a right that is withdrawn bites on open connections. */
export interface Authorizer {
  isAllowed(subject: Subject, operation: AclOperation, type: ResourceType, name: string): boolean;
}

/** Without an authorizer everybody may do everything. */
export const allowAll: Authorizer = { isAllowed: () => true };

/** The bits of `authorizedOperations`: every operation that makes sense with the resource and is allowed. */
export const authorizedOperations = (
  authorizer: Authorizer,
  subject: Subject,
  type: keyof typeof supportedOperations,
  name: string,
): number =>
  supportedOperations[type]
    .filter((operation) => authorizer.isAllowed(subject, operation, type, name))
    .reduce((bits, operation) => bits | (1 << aclOperations[operation]), 0);
