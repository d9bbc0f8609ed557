import { boolean, int, long, string } from '../define-configs.ts';

/** Replicas, leaders and the operations that wait for them. */
export const replicationConfigs = {
  'alter.log.dirs.replication.quota.window.num': int({
    default: 11,
    min: 1,
    importance: 'low',
    doc: 'Samples kept of the rate at which replicas move between log directories.',
  }),
  'alter.log.dirs.replication.quota.window.size.seconds': int({
    default: 1,
    min: 1,
    importance: 'low',
    doc: 'Length of one such sample.',
  }),
  'auto.leader.rebalance.enable': boolean({
    default: true,
    importance: 'high',
    doc: 'Gives leadership back to preferred leaders from time to time.',
  }),
  'default.replication.factor': int({
    default: 1,
    importance: 'medium',
    doc: 'Replicas of a topic that is made without saying how many.',
  }),
  'delete.records.purgatory.purge.interval.requests': int({
    default: 1,
    importance: 'medium',
    doc: 'Finished DeleteRecords requests that may wait to be swept.',
  }),
  'fetch.purgatory.purge.interval.requests': int({
    default: 1_000,
    importance: 'medium',
    doc: 'Finished fetches that may wait to be swept.',
  }),
  'leader.imbalance.check.interval.seconds': long({
    default: 300,
    min: 1,
    importance: 'high',
    doc: 'Time between looks for leaders that are not the preferred ones.',
  }),
  'num.replica.alter.log.dirs.threads': int({
    default: null,
    importance: 'high',
    doc: 'Replicas moved between log directories at once.',
  }),
  'num.replica.fetchers': int({
    default: 1,
    min: 1,
    importance: 'high',
    update: 'cluster-wide',
    doc: 'Fetchers for each source broker.',
  }),
  'producer.purgatory.purge.interval.requests': int({
    default: 1_000,
    importance: 'medium',
    doc: 'Finished produce requests that may wait to be swept.',
  }),
  'replica.fetch.backoff.ms': int({
    default: 1_000,
    min: 0,
    importance: 'medium',
    doc: 'Pause of a follower after a failed fetch.',
  }),
  'replica.fetch.max.bytes': int({
    default: 1_048_576,
    min: 0,
    importance: 'medium',
    doc: 'Bytes a follower asks for of one partition.',
  }),
  'replica.fetch.min.bytes': int({ default: 1, importance: 'high', doc: 'Bytes a follower waits for.' }),
  'replica.fetch.response.max.bytes': int({
    default: 10_485_760,
    min: 0,
    importance: 'medium',
    doc: 'Most bytes in one answer to a follower.',
  }),
  'replica.fetch.wait.max.ms': int({ default: 500, importance: 'high', doc: "Longest wait of a follower's fetch." }),
  'replica.high.watermark.checkpoint.interval.ms': long({
    default: 5_000,
    importance: 'high',
    doc: 'Time between writes of the high watermarks.',
  }),
  'replica.lag.time.max.ms': long({
    default: 30_000,
    importance: 'high',
    doc: 'Time after which a follower that has not caught up leaves the in-sync replicas.',
  }),
  'replica.selector.class': string({
    default: null,
    importance: 'medium',
    doc: 'Class that chooses the replica a consumer reads from.',
  }),
  'replica.socket.receive.buffer.bytes': int({
    default: 65_536,
    importance: 'high',
    doc: "Receive buffer of a follower's connection.",
  }),
  'replica.socket.timeout.ms': int({ default: 30_000, importance: 'high', doc: 'Time a follower waits for an answer.' }),
  'replication.quota.window.num': int({ default: 11, min: 1, importance: 'low', doc: 'Samples kept of the replication rate.' }),
  'replication.quota.window.size.seconds': int({ default: 1, min: 1, importance: 'low', doc: 'Length of one such sample.' }),
  'unclean.leader.election.enable': boolean({
    default: false,
    importance: 'high',
    update: 'cluster-wide',
    doc: 'Lets a replica that is not in sync lead when no other can, at the price of lost records.',
  }),
  'unclean.leader.election.interval.ms': long({
    default: 300_000,
    min: 1,
    importance: 'medium',
    internal: true,
    doc: 'Time between looks for partitions that need such a leader.',
  }),
};
