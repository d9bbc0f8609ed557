import type { KafkaError } from '../protocol/errors.ts';

/** The two fields by which most responses tell an error. */
export const errorFields = ({ code, message }: KafkaError): { errorCode: number; errorMessage: string } => ({
  errorCode: code,
  errorMessage: message,
});
