import type { Millis } from '../../base/clock.ts';
import type { ErrorName } from '../../protocol/errors.ts';
import { PRODUCER_EPOCH_MAX } from '../../protocol/records/batch-layout.ts';
import {
  raisesEpochAtEnd,
  isEpochExhausted,
  NO_PRODUCER_ID,
  type TransactionMetadata,
  type TransactionVersion,
  withOutcome,
} from './transaction-metadata.ts';

export type Outcome = 'commit' | 'abort';

/** What a producer asks for. */
export interface EndRequest {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly outcome: Outcome;
  readonly version: TransactionVersion;
  readonly now: Millis;
}

/** What becomes of it: a refusal, an answer at once because it has been done already, a transition, or the wish for another producer id first. */
export type EndDecision =
  | { readonly kind: 'refused'; readonly error: ErrorName }
  | { readonly kind: 'done' }
  | { readonly kind: 'needs-producer-id' }
  | { readonly kind: 'ending'; readonly transaction: TransactionMetadata };

const refused = (error: ErrorName): EndDecision => ({ kind: 'refused', error });
const DONE: EndDecision = { kind: 'done' };

/** `nextProducerId` is an id that was got for a producer whose epochs are used up; −1 if none was. */
export function decideEnd(transaction: TransactionMetadata, request: EndRequest, nextProducerId: number): EndDecision {
  return raisesEpochAtEnd(request.version)
    ? decideSecond(transaction, request, nextProducerId)
    : decideFirst(transaction, request);
}

/** Version 0 and 1: the epoch stays what it is until the producer starts anew. */
function decideFirst(transaction: TransactionMetadata, request: EndRequest): EndDecision {
  const { state } = transaction;
  const { outcome } = request;
  if (transaction.producerId !== request.producerId) return refused('INVALID_PRODUCER_ID_MAPPING');
  if (transaction.producerEpoch !== request.producerEpoch) return refused('PRODUCER_FENCED');
  switch (state) {
    case 'Ongoing':
      return ending(transaction, request, { nextProducerId: NO_PRODUCER_ID, hasNoPartitions: false });
    case 'CompleteCommit':
    case 'CompleteAbort':
      return outcome === outcomeOf(state) ? DONE : refused('INVALID_TXN_STATE');
    case 'PrepareCommit':
    case 'PrepareAbort':
      return refused('CONCURRENT_TRANSACTIONS');
    default:
      return refused('INVALID_TXN_STATE');
  }
}

/**
 * Version 2: every end raises the epoch, so that a request with the epoch before is the same request again. An abort of nothing is welcome: the producer may not
 * know whether anything of it has arrived.
 */
function decideSecond(transaction: TransactionMetadata, request: EndRequest, nextProducerId: number): EndDecision {
  const { state } = transaction;
  const { outcome, producerId } = request;
  // Whoever asks is to ask again when it is known what became of the transaction.
  if (state === 'PrepareCommit' || state === 'PrepareAbort') return refused('CONCURRENT_TRANSACTIONS');
  const isRetryAfterRotation =
    transaction.previousProducerId === producerId &&
    request.producerEpoch === PRODUCER_EPOCH_MAX - 1 &&
    transaction.producerEpoch === 0;
  const isRetry = isRetryAfterRotation || transaction.producerEpoch === request.producerEpoch + 1;
  if (transaction.producerId !== producerId && !isRetryAfterRotation) return refused('INVALID_PRODUCER_ID_MAPPING');
  if (!isEpochValid(transaction, request, isRetry)) return refused('PRODUCER_FENCED');
  const end = (hasNoPartitions: boolean): EndDecision => {
    if (isEpochExhausted(transaction.producerEpoch) && nextProducerId === NO_PRODUCER_ID) return { kind: 'needs-producer-id' };
    const isRotated = isEpochExhausted(transaction.producerEpoch);
    return ending(transaction, request, { nextProducerId: isRotated ? nextProducerId : NO_PRODUCER_ID, hasNoPartitions });
  };
  switch (state) {
    case 'Ongoing':
      return end(false);
    case 'CompleteCommit':
    case 'CompleteAbort':
      if (isRetry && outcome === outcomeOf(state)) return hasRaised(transaction) ? DONE : refused('PRODUCER_FENCED');
      return outcome === 'abort' && !isRetry ? end(true) : refused('INVALID_TXN_STATE');
    default:
      return outcome === 'abort' ? end(true) : refused('INVALID_TXN_STATE');
  }
}

/**
 * Where the last transaction ended without raising the epoch, whoever has the one before was fenced, and must not be told the epoch of whoever fenced it.
 */
const hasRaised = ({ clientTransactionVersion }: TransactionMetadata): boolean => raisesEpochAtEnd(clientTransactionVersion);

function isEpochValid(transaction: TransactionMetadata, request: EndRequest, isRetry: boolean): boolean {
  const isCurrent = transaction.producerEpoch === request.producerEpoch;
  switch (transaction.state) {
    case 'CompleteCommit':
    case 'CompleteAbort':
      return isCurrent || isRetry;
    default:
      return isCurrent;
  }
}

const outcomeOf = (state: 'CompleteCommit' | 'CompleteAbort'): Outcome => (state === 'CompleteCommit' ? 'commit' : 'abort');

const ending = (
  transaction: TransactionMetadata,
  { outcome, version, now }: EndRequest,
  options: { readonly nextProducerId: number; readonly hasNoPartitions: boolean },
): EndDecision => ({ kind: 'ending', transaction: withOutcome(transaction, outcome, { ...options, version, now }) });
