import type { Endpoint } from '../base/network.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { isEveryAddress } from '../config/listeners.ts';
import { type Voter, VoterSet } from '../raft/voter-set.ts';

const KRAFT_VERSION_MAX = 1;

/** A voter that can take part at every level of kraft.version. */
export const voterOf = (id: number, directoryId: string, endpoints: Voter['endpoints']): Voter => ({
  id,
  directoryId,
  endpoints,
  minKRaftVersion: 0,
  maxKRaftVersion: KRAFT_VERSION_MAX,
});

/** A quorum of this node alone that more controllers may join (KIP-853). */
export function standaloneVoters(
  { nodeId, advertisedController, bootstrapServers }: NodeSettings,
  directoryId: string,
): VoterSet {
  const endpoints = advertisedController.map(({ name, host, port }) => ({
    name,
    // Who is reached at every address is reached where the others look for the quorum.
    host: isEveryAddress(host) ? (bootstrapServers.find((server) => server.port === port)?.host ?? host) : host,
    port,
  }));
  return new VoterSet([voterOf(nodeId, directoryId, endpoints)]);
}

/** Nobody else has a say in which cluster this node makes: it is the only controller that its configs know of. */
export function isAlone(settings: NodeSettings): boolean {
  const { isController, isEmbedded, voters, nodeId, bootstrapServers } = settings;
  if (isEmbedded) return true;
  const isOnlyVoter = voters.every(({ id }) => id === nodeId);
  return isController && isOnlyVoter && bootstrapServers.every((server) => isOwn(server, settings));
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

const isOwn = ({ host, port }: Endpoint, { controllerListeners, advertisedController }: NodeSettings): boolean =>
  [...advertisedController, ...controllerListeners].some((own) => {
    if (own.port !== port) return false;
    return own.host === host || (LOOPBACK.has(host) && (LOOPBACK.has(own.host) || isEveryAddress(own.host)));
  });
