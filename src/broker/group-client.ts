import { javaAddress } from '../base/java-address.ts';
import type { GroupClient } from '../coordinator/group/classic-protocol.ts';
import type { RequestContext } from './request-context.ts';

/** The sender of a request, as its group remembers it. */
export const groupClient = ({ apiVersion, clientId, clientHost }: RequestContext): GroupClient => ({
  apiVersion,
  clientId: clientId ?? '',
  clientHost: `/${javaAddress(clientHost)}`,
});
