import assert from 'node:assert/strict';
import { createAcls } from '../../src/protocol/messages/30-create-acls.ts';
import { type AclOperation, aclOperations } from '../../src/security/authorizer.ts';
import type { WireClient } from '../conformance/wire-client.ts';

/** A right that nobody has. */
export interface DeniedRight {
  readonly operation: AclOperation;
  readonly type: string;
  readonly name: string;
}

/** What makes a Kafka that lets everybody do what no entry forbids. */
export const authorizerProperties: Readonly<Record<string, string>> = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'allow.everyone.if.no.acl.found': 'true',
};

const [ALL, ALLOW, DENY, LITERAL] = [2, 3, 2, 3];
const resourceTypes: Readonly<Record<string, number>> = { TOPIC: 2, GROUP: 3, CLUSTER: 4 };

/** A resource that something is said of may be used as said only: everything, but for what is denied. Resolves when `isDenied` says that the broker has heard of it. */
export async function denyRights(
  client: WireClient,
  denials: readonly DeniedRight[],
  isDenied: () => Promise<boolean>,
): Promise<void> {
  const creations = denials.flatMap(({ operation, type, name }) =>
    [
      { operation: ALL, permissionType: ALLOW },
      { operation: aclOperations[operation], permissionType: DENY },
    ].map((entry) => ({
      resourceType: resourceTypes[type] ?? 0,
      resourceName: name,
      resourcePatternType: LITERAL,
      principal: 'User:ANONYMOUS',
      host: '*',
      ...entry,
    })),
  );
  const { results } = await client.ask(createAcls, 3, { creations });
  assert.deepEqual(new Set(results.map(({ errorCode }) => errorCode)), new Set([0]));
  // The broker hears of it some time after its controller.
  while (!(await isDenied()));
}
