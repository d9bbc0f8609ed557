import { codeOf, type KafkaError } from '../../protocol/errors.ts';

/** The code for a client that may be too old to know PRODUCER_FENCED, which it takes for INVALID_PRODUCER_EPOCH. */
export const fencedCode = ({ errorName, code }: KafkaError, knowsFenced: boolean): number =>
  errorName === 'PRODUCER_FENCED' && !knowsFenced ? codeOf('INVALID_PRODUCER_EPOCH') : code;
