import { type KafkaError, textOf } from '../../protocol/errors.ts';

/** What an answer says beside the code: nothing where the code says it all, as Kafka does for its plain exceptions. */
export const messageOf = (error: KafkaError): string | null => (error.message === textOf(error.errorName) ? null : error.message);

/** `authorizedOperations` when they were not asked for. */
export const NO_AUTHORIZED_OPERATIONS = -2_147_483_648;
