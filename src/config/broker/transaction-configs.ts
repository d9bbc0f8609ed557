import { boolean, int, short } from '../define-configs.ts';

/** Transactions and idempotent producers. */
export const transactionConfigs = {
  'add.partitions.to.txn.retry.backoff.max.ms': int({
    default: 100,
    min: 0,
    importance: 'high',
    doc: 'Longest pause between tries of the broker to add a partition to a transaction.',
  }),
  'add.partitions.to.txn.retry.backoff.ms': int({
    default: 20,
    min: 1,
    importance: 'high',
    doc: 'First pause between tries of the broker to add a partition to a transaction.',
  }),
  'producer.id.expiration.check.interval.ms': int({
    default: 600_000,
    min: 1,
    importance: 'low',
    internal: true,
    doc: 'Time between looks for producers that have gone.',
  }),
  'producer.id.expiration.ms': int({
    default: 86_400_000,
    min: 1,
    importance: 'low',
    update: 'cluster-wide',
    doc: 'Time after which a partition forgets a producer that wrote nothing.',
  }),
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': int({
    default: 10_000,
    min: 1,
    importance: 'low',
    doc: 'Time between looks for transactions that have timed out.',
  }),
  'transaction.max.timeout.ms': int({
    default: 900_000,
    min: 1,
    importance: 'high',
    doc: 'Longest transaction timeout a producer may ask for.',
  }),
  'transaction.partition.verification.enable': boolean({
    default: true,
    importance: 'low',
    update: 'cluster-wide',
    doc: 'Checks that a partition belongs to a transaction before records are written.',
  }),
  'transaction.remove.expired.transaction.cleanup.interval.ms': int({
    default: 3_600_000,
    min: 1,
    importance: 'low',
    doc: 'Time between looks for transactional ids to forget.',
  }),
  'transaction.state.log.load.buffer.size': int({
    default: 5_242_880,
    min: 1,
    importance: 'high',
    doc: 'Bytes read at once while transactions are loaded.',
  }),
  'transaction.state.log.min.isr': int({
    default: 2,
    min: 1,
    importance: 'high',
    doc: 'In-sync replicas that a write to the transaction topic needs.',
  }),
  'transaction.state.log.num.partitions': int({
    default: 50,
    min: 1,
    importance: 'high',
    doc: 'Partitions of the transaction topic; not to be changed later.',
  }),
  'transaction.state.log.replication.factor': short({
    default: 3,
    min: 1,
    importance: 'high',
    doc: 'Replicas of the transaction topic.',
  }),
  'transaction.state.log.segment.bytes': int({
    default: 104_857_600,
    min: 1,
    importance: 'high',
    doc: 'Segment size of the transaction topic.',
  }),
  'transaction.two.phase.commit.enable': boolean({
    default: false,
    importance: 'low',
    doc: 'Allows transactions that another system decides.',
  }),
  'transactional.id.expiration.ms': int({
    default: 604_800_000,
    min: 1,
    importance: 'high',
    doc: 'Time after which an unused transactional id is forgotten.',
  }),
};
