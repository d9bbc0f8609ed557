import { transactionLogKey, transactionLogValue } from './00-transaction-log.ts';

/** Every record type of the transaction coordinator's log, by name, in order of key. */
export const transactionRecords = {
  TransactionLog: { key: transactionLogKey, value: transactionLogValue },
} as const;
