import type { Environment } from '../base/environment.ts';
import type { BrokerConfig } from '../config/broker-configs.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { decodeMetadataRecord, encodeMetadataRecord } from '../metadata/metadata-record-serde.ts';
import { METADATA_DIRECTORY, PartitionRaftLog } from '../raft/partition-raft-log.ts';
import { QuorumStateFile } from '../raft/quorum-state-file.ts';
import { RaftClient } from '../raft/raft-client.ts';
import { VoterSet } from '../raft/voter-set.ts';
import { joinPath } from '../storage/path.ts';
import type { NodeIdentity } from './format-node.ts';

export interface MetadataQuorumOptions {
  readonly settings: NodeSettings;
  readonly config: BrokerConfig;
  readonly identity: NodeIdentity;
  /** The metadata log failed: the node has to stop. */
  readonly fatal: (error: unknown) => void;
}

/** Opens the metadata log of this node as a member of its quorum. Throws a StorageError. */
export function openMetadataQuorum(environment: Environment, options: MetadataQuorumOptions): RaftClient<MetadataRecord> {
  const { settings, config, identity, fatal } = options;
  const log = PartitionRaftLog.open(environment, {
    logDirectory: settings.metadataLogDirectory,
    segmentBytes: config['metadata.log.segment.bytes'],
    segmentMs: config['metadata.log.segment.ms'],
    retentionBytes: config['metadata.max.retention.bytes'],
    retentionMs: config['metadata.max.retention.ms'],
    failed: fatal,
  });
  return new RaftClient(environment, {
    self: { id: settings.nodeId, directoryId: identity.metadataDirectoryId },
    log,
    quorumState: new QuorumStateFile(environment.disk, joinPath(settings.metadataLogDirectory, METADATA_DIRECTORY)),
    serde: { encode: encodeMetadataRecord, decode: decodeMetadataRecord },
    staticVoters: staticVoters(settings),
    electionTimeoutMs: config['controller.quorum.election.timeout.ms'],
    fatal,
  });
}

/** A node that was told of no voters is the only one. Voters are reached by the preferred of the controllers' listeners. */
function staticVoters({ voters, nodeId, controllerListenerNames }: NodeSettings): VoterSet {
  if (voters.length === 0) return VoterSet.ofIds([nodeId]);
  const name = controllerListenerNames[0] ?? '';
  return VoterSet.ofAddresses(voters.map(({ id, host, port }) => ({ id, endpoints: [{ name, host, port }] })));
}
