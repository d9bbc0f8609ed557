import type { Values } from '../differential/fit.ts';
import type { Request } from './conversation.ts';
import * as say from './says.ts';

const [EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT] = [0, 1, 2, 3, 4, 5];
const LONG_AGO = 1_000;
const A0 = { '#a': [0] };

interface Crafted {
  readonly status: number | undefined;
  readonly id: number;
  readonly epoch: number;
  readonly places?: say.Places;
  readonly more?: Values;
}

const crafted = ({ status, id, epoch, places, more }: Crafted): Values => ({
  producerId: id,
  previousProducerId: id,
  producerEpoch: epoch,
  transactionStatus: status,
  transactionStartTimestampMs: status === EMPTY ? -1 : LONG_AGO,
  // Never too late, unless it is said.
  transactionTimeoutMs: 2_147_483_647,
  transactionPartitions:
    status === EMPTY ? null : Object.entries(places ?? {}).map(([topic, partitionIds]) => ({ topic, partitionIds })),
  clientTransactionVersion: 2,
  ...more,
});

const record = (id: number, epoch: number, more: Partial<DataOf> = {}): Request =>
  say.write({ id, epoch, ...more }, { version: 11, as: '#any' });

type DataOf = NonNullable<Parameters<typeof say.write>[0]>;

const again = (first: Request): Request => ({ ...first, afterRestart: true });
/** Each has its own partition, for in which order a coordinator deals with what it finds is not told. */
const topics = say.create({ '#a': 10, '#b': 1 });

/** What a coordinator finds in its log when it begins. */
export const craftedScripts: Readonly<Record<string, readonly Request[]>> = {
  'epochs at their end': [
    topics,
    record(2_000_011, 32_765),
    record(2_000_012, 32_766, { partition: 1 }),
    record(2_000_013, 32_767, { topic: '#b' }),
    say.craft({
      '#e65': crafted({ status: COMPLETE_COMMIT, id: 2_000_001, epoch: 32_765 }),
      '#e66': crafted({ status: COMPLETE_ABORT, id: 2_000_002, epoch: 32_766 }),
      '#e67': crafted({ status: EMPTY, id: 2_000_003, epoch: 32_767 }),
      '#w65': crafted({ status: EMPTY, id: 2_000_004, epoch: 32_765 }),
      '#w66': crafted({ status: EMPTY, id: 2_000_005, epoch: 32_766 }),
      '#w67': crafted({ status: COMPLETE_COMMIT, id: 2_000_006, epoch: 32_767 }),
      '#x65': crafted({ status: COMPLETE_ABORT, id: 2_000_007, epoch: 32_765 }),
      '#x66': crafted({ status: COMPLETE_ABORT, id: 2_000_008, epoch: 32_766 }),
      '#o65': crafted({ status: ONGOING, id: 2_000_011, epoch: 32_765, places: A0 }),
      '#o66': crafted({ status: ONGOING, id: 2_000_012, epoch: 32_766, places: { '#a': [1] } }),
      '#o67': crafted({ status: ONGOING, id: 2_000_013, epoch: 32_767, places: { '#b': [0] } }),
      '#v66': crafted({ status: ONGOING, id: 2_000_014, epoch: 32_766, places: A0, more: { clientTransactionVersion: 0 } }),
      '#c66': crafted({ status: ONGOING, id: 2_000_015, epoch: 32_766, places: A0 }),
      '#c67': crafted({ status: ONGOING, id: 2_000_016, epoch: 32_767, places: A0 }),
      '#d67': crafted({ status: ONGOING, id: 2_000_017, epoch: 32_767, places: A0 }),
      '#late66': crafted({ status: ONGOING, id: 2_000_018, epoch: 32_766, places: A0, more: { transactionTimeoutMs: 10 } }),
    }),
    again(say.pass(1_500)),
    say.init({ of: '#e65' }),
    say.init({ of: '#e65' }),
    say.init({ of: '#e65', id: 2_000_001, epoch: 32_766 }),
    say.init({ of: '#e66', id: 2_000_002, epoch: 32_766 }),
    say.init({ of: '#e66', id: 2_000_002, epoch: 32_766 }),
    say.init({ of: '#e66', id: 2_000_002, epoch: 32_765 }),
    say.init({ of: '#e67' }),
    say.add(A0, { of: '#w65', id: 2_000_004, epoch: 32_765 }),
    say.end('commit', { of: '#w65', id: 2_000_004, epoch: 32_765 }),
    say.add(A0, { of: '#w65', id: 2_000_004, epoch: 32_766 }),
    say.end('commit', { of: '#w65', id: 2_000_004, epoch: 32_766 }),
    say.end('commit', { of: '#w65', id: 2_000_004, epoch: 32_766 }),
    say.end('abort', { of: '#w65', id: 2_000_004, epoch: 32_766 }),
    say.end('commit', { of: '#w65', id: 2_000_004, epoch: 32_765 }),
    say.end('commit', { of: '#w65', id: 2_000_004, epoch: 32_767 }),
    say.init({ of: '#w65', id: 2_000_004, epoch: 32_766 }),
    say.end('abort', { of: '#w66', id: 2_000_005, epoch: 32_766 }),
    say.end('abort', { of: '#w66', id: 2_000_005, epoch: 32_766 }),
    say.end('abort', { of: '#w67', id: 2_000_006, epoch: 32_767 }),
    say.end('abort', { of: '#w67', id: 2_000_006, epoch: 32_766 }),
    say.end('abort', { of: '#x65', id: 2_000_007, epoch: 32_765 }),
    say.end('abort', { of: '#x65', id: 2_000_007, epoch: 32_766 }),
    say.add({ '#b': [0] }, { of: '#x66', id: 2_000_008, epoch: 32_766 }),
    say.end('abort', { of: '#x66', id: 2_000_008, epoch: 32_766, version: 4 }),
    say.init({ of: '#o65' }),
    say.init({ of: '#o65' }),
    say.init({ of: '#o66' }),
    say.init({ of: '#o66' }),
    say.init({ of: '#o67' }),
    say.init({ of: '#o67' }),
    say.init({ of: '#v66', id: 2_000_014, epoch: 32_766 }),
    say.init({ of: '#v66', id: 2_000_014, epoch: 32_766 }),
    say.end('commit', { of: '#c66', id: 2_000_015, epoch: 32_766 }),
    say.end('abort', { of: '#c67', id: 2_000_016, epoch: 32_767 }),
    say.end('commit', { of: '#d67', id: 2_000_017, epoch: 32_767, version: 4 }),
    say.list(),
    say.read(),
    say.read({ partition: 1 }),
    say.read({ topic: '#b' }),
  ],
  'ends that are not told yet': [
    topics,
    record(3_000_001, 4),
    record(3_000_002, 3, { partition: 1, values: ['x', 'y'] }),
    record(3_000_003, 5, { topic: '#b' }),
    record(3_000_004, 32_766, { partition: 2 }),
    record(3_000_008, 1, { partition: 5 }),
    say.craft({
      '#commit': crafted({ status: PREPARE_COMMIT, id: 3_000_001, epoch: 5, places: A0 }),
      '#abort': crafted({
        status: PREPARE_ABORT,
        id: 3_000_002,
        epoch: 3,
        places: { '#a': [1] },
        more: { clientTransactionVersion: 0 },
      }),
      '#open': crafted({ status: ONGOING, id: 3_000_003, epoch: 5, places: { '#b': [0] } }),
      '#rotate': crafted({
        status: PREPARE_COMMIT,
        id: 3_000_004,
        epoch: 32_767,
        places: { '#a': [2] },
        more: { nextProducerId: 3_000_500 },
      }),
      '#nothing': crafted({ status: PREPARE_ABORT, id: 3_000_005, epoch: 2 }),
      '#nowhere': crafted({ status: PREPARE_COMMIT, id: 3_000_006, epoch: 2, places: { '#nope': [0], '#a': [3, 17] } }),
      '#next-of-old': crafted({
        status: PREPARE_COMMIT,
        id: 3_000_007,
        epoch: 7,
        places: { '#a': [4] },
        more: { nextProducerId: 3_000_501, clientTransactionVersion: 0 },
      }),
      '#late': crafted({ status: ONGOING, id: 3_000_008, epoch: 1, places: { '#a': [5] }, more: { transactionTimeoutMs: 10 } }),
      '#late-old': crafted({
        status: ONGOING,
        id: 3_000_009,
        epoch: 1,
        places: { '#a': [6] },
        more: { transactionTimeoutMs: 10, clientTransactionVersion: 0 },
      }),
      '#late-end': crafted({
        status: ONGOING,
        id: 2_000_019,
        epoch: 32_767,
        places: { '#a': [7] },
        more: { transactionTimeoutMs: 10 },
      }),
      '#expired': crafted({ status: EMPTY, id: 3_000_010, epoch: 1, more: { transactionLastUpdateTimestampMs: LONG_AGO } }),
      '#expired-too': crafted({
        status: COMPLETE_COMMIT,
        id: 3_000_011,
        epoch: 1,
        more: { transactionLastUpdateTimestampMs: LONG_AGO },
      }),
      '#old-but-open': crafted({
        status: ONGOING,
        id: 3_000_012,
        epoch: 1,
        places: { '#a': [8] },
        more: { transactionLastUpdateTimestampMs: LONG_AGO },
      }),
      '#gone': crafted({ status: EMPTY, id: 3_000_013, epoch: 1 }),
    }),
    say.craft({ '#gone': null }),
    say.craft({ '#first-form': crafted({ status: COMPLETE_COMMIT, id: 3_000_014, epoch: 9 }) }, { logVersion: 0 }),
    again(say.pass(2_000)),
    say.describe(['#commit', '#expired', '#gone', '#first-form']),
    say.end('commit', { of: '#commit', id: 3_000_001, epoch: 4 }),
    say.end('commit', { of: '#commit', id: 3_000_001, epoch: 5 }),
    say.end('commit', { of: '#rotate', id: 3_000_004, epoch: 32_766 }),
    say.end('commit', { of: '#rotate', id: 3_000_004, epoch: 32_767 }),
    say.end('commit', { of: '#open', id: 3_000_003, epoch: 5 }),
    say.init({ of: '#late', id: 3_000_008, epoch: 1 }),
    say.init({ of: '#late-old', id: 3_000_009, epoch: 1 }),
    say.init({ of: '#expired' }),
    say.init({ of: '#gone', id: 3_000_013, epoch: 1 }),
    say.init({ of: '#first-form', id: 3_000_014, epoch: 8 }),
    say.init({ of: '#first-form', id: 3_000_014, epoch: 9 }),
    say.init({ of: '#next-of-old' }),
    say.end('abort', { of: '#old-but-open', id: 3_000_012, epoch: 1 }),
    say.read(),
    say.read({ partition: 1 }),
    say.read({ topic: '#b' }),
  ],
};
