import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { produce } from '../../protocol/messages/00-produce.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { type AppendEntry, type AppendOutcome, failedAppend } from '../../replication/append.ts';
import type { BrokerServices } from '../broker-services.ts';
import { CLOSE_CONNECTION, defineHandler, type Handler, type HandlerResult, NO_RESPONSE } from '../handler.ts';
import { LeaderHints } from '../leader-hints.ts';
import { isInternalTopic } from '../metadata-view.ts';
import { belongsToTransaction, checkProducedRecords } from '../produced-records.ts';
import type { RequestContext } from '../request-context.ts';
import { verifiedEntries } from '../transactional-entries.ts';
import { messageOf } from './answers.ts';

type Request = RequestOf<typeof produce>;
type Topic = Request['topicData'][number];
type Answers = ResponseInput<typeof produce>['responses'];

/** Clients of the brokers themselves may write to internal topics. */
const ADMIN_CLIENT_ID = '__admin_client';
const NOT_LEADER = codeOf('NOT_LEADER_OR_FOLLOWER');

/** One request on its way: what is appended, and where the outcome goes. */
interface Work {
  entries: AppendEntry[];
  places: { readonly answers: AppendOutcome[]; readonly at: number }[];
  /** Some of the records belong to a transaction. */
  readonly isTransactional: boolean;
  readonly answers: { readonly name: string; readonly topicId: string; readonly partitionResponses: AppendOutcome[] }[];
}

/**
 * Produce v3-13. From v7 zstd, from v8 what was wrong with single records (KIP-467), from v10 the leader to go to (KIP-951), from v13 topics by id (KIP-516).
 * Records of a transaction are appended when its coordinator has agreed, from v12 on without the client asking it (KIP-890).
 */
export const produceHandler = (services: BrokerServices): Handler => {
  const { replicaManager, metadata } = services;
  const log = services.environment.logger.named('handler');
  const handle = (
    request: Request,
    context: RequestContext,
  ): HandlerResult<typeof produce> | Promise<HandlerResult<typeof produce>> => {
    const { image } = metadata;
    const work = prepare(services, image, request, context);
    const { acks, timeoutMs } = request;
    if (log.isTraceEnabled) log.trace('Produce', { acks, correlationId: context.correlationId, partitions: work.entries.length });
    const append = (): AppendOutcome[] | Promise<AppendOutcome[]> =>
      replicaManager.append(work.entries, { acks, timeoutMs, origin: 'client', version: context.apiVersion });
    const outcomes = work.isTransactional ? verify(services, request, context, work).then(append) : append();
    return outcomes instanceof Promise
      ? outcomes.then((settled) => answer(services, request, context, place(work, settled)))
      : answer(services, request, context, place(work, outcomes));
  };
  return defineHandler<typeof produce>({ api: produce, isDoneWithRequest: true, handle, failed });
};

const prepare = (services: BrokerServices, image: MetadataImage, request: Request, context: RequestContext): Work => {
  const isTransactional = request.topicData.some(({ partitionData }) =>
    partitionData.some(({ records }) => belongsToTransaction(records)),
  );
  const work: Work = { entries: [], places: [], answers: [], isTransactional };
  const refusal = isTransactional ? transactionalRefusal(services, request, context) : null;
  for (const topic of request.topicData) {
    // Partitions are answered, by topic: without one, a topic is not.
    if (topic.partitionData.length === 0) continue;
    const partitionResponses: AppendOutcome[] = [];
    work.answers.push({ name: topic.name, topicId: topic.topicId, partitionResponses });
    const { topicId, name, fault } = resolve(services, image, topic, context);
    for (const { index, records } of topic.partitionData) {
      const known = refusal ?? fault;
      if (known !== null) {
        partitionResponses.push(failedAppend(index, codeOf(known)));
        continue;
      }
      const entry = entryFor(services, { topicId, name, index, version: context.apiVersion }, records);
      if ('errorCode' in entry) {
        partitionResponses.push(entry);
        continue;
      }
      work.entries.push(entry);
      work.places.push({ answers: partitionResponses, at: partitionResponses.length });
      partitionResponses.push(failedAppend(index, codeOf('UNKNOWN_SERVER_ERROR')));
    }
  }
  return work;
};

/** The topic's both names, and why nothing may be appended to it at all. */
const resolve = (
  { authorizer, replicaManager }: BrokerServices,
  image: MetadataImage,
  topic: Topic,
  context: RequestContext,
): { readonly topicId: string; readonly name: string; readonly fault: ErrorName | null } => {
  const usesIds = context.apiVersion >= 13;
  const known = usesIds ? image.topics.byId.get(topic.topicId) : image.topics.byName.get(topic.name);
  const topicId = known?.id ?? topic.topicId;
  if (usesIds && known === undefined) return { topicId, name: '', fault: 'UNKNOWN_TOPIC_ID' };
  const name = known?.name ?? topic.name;
  if (!authorizer.isAllowed(context, 'WRITE', 'TOPIC', name)) return { topicId, name, fault: 'TOPIC_AUTHORIZATION_FAILED' };
  if (known === undefined) return { topicId, name, fault: 'UNKNOWN_TOPIC_OR_PARTITION' };
  replicaManager.topicMetrics.count('produceRequests', name);
  const isForbidden = isInternalTopic(name) && context.clientId !== ADMIN_CLIENT_ID;
  return { topicId, name, fault: isForbidden ? 'INVALID_TOPIC_EXCEPTION' : null };
};

const entryFor = (
  { replicaManager }: BrokerServices,
  {
    topicId,
    index,
    version,
  }: { readonly topicId: string; readonly name: string; readonly index: number; readonly version: number },
  records: Buffer | null,
): AppendEntry | AppendOutcome => {
  try {
    const partition = replicaManager.byId(topicId, index);
    checkProducedRecords(records, version);
    return { partition, records };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return failedAppend(index, error.code, messageOf(error));
  }
};

/** Transactional records need a transactional id that the sender may write with. */
const transactionalRefusal = ({ authorizer }: BrokerServices, request: Request, context: RequestContext): ErrorName | null => {
  const id = request.transactionalId;
  const mayWrite = id !== null && authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', id);
  return mayWrite ? null : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
};

/** Leaves what the coordinators of transactions agree to; what the others are told is in its place. */
const verify = async (services: BrokerServices, request: Request, context: RequestContext, work: Work): Promise<void> => {
  const { transactionalId } = request;
  if (transactionalId === null || !services.configs.broker()['transaction.partition.verification.enable']) return;
  const { entries, places } = work;
  const verified = await verifiedEntries(services, entries, { transactionalId, apiVersion: context.apiVersion });
  work.entries = [];
  work.places = [];
  for (const [at, entry] of verified.entries()) {
    const slot = places[at];
    if (slot === undefined) continue;
    if ('errorCode' in entry) slot.answers[slot.at] = entry;
    else {
      work.entries.push(entry);
      work.places.push(slot);
    }
  }
};

const place = ({ places, answers }: Work, outcomes: readonly AppendOutcome[]): Work['answers'] => {
  for (const [index, outcome] of outcomes.entries()) {
    const slot = places[index];
    if (slot !== undefined) slot.answers[slot.at] = outcome;
  }
  return answers;
};

const answer = (
  services: BrokerServices,
  request: Request,
  context: RequestContext,
  answers: Work['answers'],
): HandlerResult<typeof produce> => {
  let hasError = false;
  let hints: LeaderHints | null = null;
  for (const { topicId, name, partitionResponses } of answers) {
    for (const outcome of partitionResponses) {
      if (outcome.errorCode === 0) continue;
      hasError = true;
      if (outcome.errorCode !== NOT_LEADER || context.apiVersion < 10) continue;
      const { image } = services.metadata;
      const id = context.apiVersion >= 13 ? topicId : (image.topics.byName.get(name)?.id ?? '');
      hints ??= new LeaderHints({ image, replicaManager: services.replicaManager, listenerName: context.listenerName });
      outcome.currentLeader = hints.leaderOf(id, outcome.index);
    }
  }
  if (request.acks === 0) return hasError ? CLOSE_CONNECTION : NO_RESPONSE;
  return { responses: answers satisfies Answers, nodeEndpoints: hints?.nodeEndpoints ?? [] };
};

const failed = (request: Request, error: KafkaError): HandlerResult<typeof produce> => {
  if (request.acks === 0) return CLOSE_CONNECTION;
  const withPartitions = request.topicData.filter(({ partitionData }) => partitionData.length > 0);
  const responses = withPartitions.map(({ name, topicId, partitionData }) => ({
    name,
    topicId,
    partitionResponses: partitionData.map(({ index }) => failedAppend(index, error.code, messageOf(error))),
  }));
  return { responses };
};
