import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { addPartitionsToTxn } from '../../protocol/messages/24-add-partitions-to-txn.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { TransactionPartitions } from '../../coordinator/transaction/transaction-metadata.ts';
import type { BrokerServices } from '../broker-services.ts';
import { isInternalTopic } from '../metadata-view.ts';
import { defineHandler, type Handler, type HandlerResult, NO_RESPONSE } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { fencedCode } from './transaction-answers.ts';

type Request = RequestOf<typeof addPartitionsToTxn>;
type Response = ResponseInput<typeof addPartitionsToTxn>;
type Transaction = Request['transactions'][number];
type Topics = Transaction['topics'];
type TopicResults = Response['resultsByTransaction'][number]['topicResults'];
type CodeOfPartition = (topic: string, partition: number) => number;

/** Brokers ask for their clients from here on, for several transactions at once (KIP-890). */
const BROKER_VERSION = 4;
/** PRODUCER_FENCED is known from here on (KIP-588). */
const FENCED_VERSION = 2;

/**
 * AddPartitionsToTxn v0-5: partitions take part in a transaction. v0-3 come from producers; v4-5 from brokers, which ask for what they are about to append, or (`verifyOnly`)
 * whether the producer has asked before. Either all partitions of a transaction are added or none.
 */
export const addPartitionsToTxnHandler = (services: BrokerServices): Handler => {
  const handle = async (request: Request, context: RequestContext): Promise<HandlerResult<typeof addPartitionsToTxn>> => {
    if (context.apiVersion < BROKER_VERSION) {
      const resultsByTopicV3AndBelow = await answer(services, oldTransaction(request), context);
      return { resultsByTopicV3AndBelow, resultsByTransaction: [] };
    }
    if (!services.authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME))
      throw new KafkaError('CLUSTER_AUTHORIZATION_FAILED');
    // As in Kafka, which answers when the last transaction is answered.
    if (request.transactions.length === 0) return NO_RESPONSE;
    const resultsByTransaction = request.transactions.map(async (transaction) => ({
      transactionalId: transaction.transactionalId,
      topicResults: await answer(services, transaction, context),
    }));
    return { resultsByTransaction: await Promise.all(resultsByTransaction) };
  };
  return defineHandler<typeof addPartitionsToTxn>({ api: addPartitionsToTxn, handle, failed });
};

const failed = (request: Request, error: KafkaError, { apiVersion }: RequestContext): Response =>
  apiVersion < BROKER_VERSION
    ? { resultsByTopicV3AndBelow: resultsOf(request.v3AndBelowTopics, () => error.code), resultsByTransaction: [] }
    : { errorCode: error.code, resultsByTransaction: [] };

const oldTransaction = (request: Request): Transaction => ({
  transactionalId: request.v3AndBelowTransactionalId,
  producerId: request.v3AndBelowProducerId,
  producerEpoch: request.v3AndBelowProducerEpoch,
  verifyOnly: false,
  topics: request.v3AndBelowTopics,
});

const answer = async (services: BrokerServices, transaction: Transaction, context: RequestContext): Promise<TopicResults> => {
  const { topics, transactionalId } = transaction;
  const mayWrite =
    context.apiVersion >= BROKER_VERSION || services.authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', transactionalId);
  if (!mayWrite) return resultsOf(topics, () => codeOf('TRANSACTIONAL_ID_AUTHORIZATION_FAILED'));
  const faults = faultsOf(services, topics, context);
  if (faults.size > 0) {
    return resultsOf(topics, (topic, partition) => codeOf(faults.get(topic)?.(partition) ?? 'OPERATION_NOT_ATTEMPTED'));
  }
  try {
    const codes = await codesOf(services, transaction, context);
    return resultsOf(transaction.verifyOnly ? onceEach(topics) : topics, codes);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    const code = fencedCode(error, context.apiVersion >= FENCED_VERSION);
    return resultsOf(topics, () => code);
  }
};

const codesOf = async (
  { transactionCoordinator }: BrokerServices,
  { transactionalId, producerId, producerEpoch, verifyOnly, topics }: Transaction,
  { apiVersion }: RequestContext,
): Promise<CodeOfPartition> => {
  const producer = { producerId, producerEpoch };
  if (verifyOnly) {
    const takesPart = await transactionCoordinator.verifyPartitions(transactionalId, producer);
    return (topic, partition) => codeOf(takesPart(topic, partition) ? 'NONE' : 'TRANSACTION_ABORTABLE');
  }
  const version = apiVersion >= BROKER_VERSION ? 2 : 0;
  await transactionCoordinator.addPartitions(transactionalId, producer, { partitions: partitionsOf(topics), version });
  return () => codeOf('NONE');
};

/** Why partitions cannot be added, by topic: whoever adds nothing unknown gets no entry. */
const faultsOf = (
  { authorizer, metadata }: BrokerServices,
  topics: Topics,
  context: RequestContext,
): Map<string, (partition: number) => ErrorName | null> => {
  const faults = new Map<string, (partition: number) => ErrorName | null>();
  for (const { name, partitions } of topics) {
    const known = metadata.image.topics.byName.get(name)?.partitions;
    const isUnknown = (partition: number): boolean => known?.[partition] === undefined;
    const isFromClient = context.apiVersion < BROKER_VERSION;
    const isForbidden = isFromClient && (isInternalTopic(name) || !authorizer.isAllowed(context, 'WRITE', 'TOPIC', name));
    if (isForbidden) faults.set(name, () => 'TOPIC_AUTHORIZATION_FAILED');
    else if (partitions.some(isUnknown))
      faults.set(name, (partition) => (isUnknown(partition) ? 'UNKNOWN_TOPIC_OR_PARTITION' : null));
  }
  return faults;
};

/** What is verified is told once of each partition: a topic without any is not told of. */
const onceEach = (topics: Topics): Topics =>
  [...partitionsOf(topics)].map(([name, partitions]) => ({ name, partitions: [...partitions] }));

const partitionsOf = (topics: Topics): TransactionPartitions =>
  new Map(topics.filter(({ partitions }) => partitions.length > 0).map(({ name, partitions }) => [name, new Set(partitions)]));

const resultsOf = (topics: Topics, codeOfPartition: CodeOfPartition): TopicResults =>
  topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partitionIndex) => ({
      partitionIndex,
      partitionErrorCode: codeOfPartition(name, partitionIndex),
    })),
  }));
