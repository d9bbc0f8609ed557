import { codeOf } from '../../protocol/errors.ts';
import { describeLogDirs } from '../../protocol/messages/35-describe-log-dirs.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { PartitionLog } from '../../storage/partition-log.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';

type Request = RequestOf<typeof describeLogDirs>;
type Result = ResponseInput<typeof describeLogDirs>['results'][number];

/** DescribeLogDirs v1-5. v4 sizes of the file system (KIP-827), v5 cordoned directories (KIP-1066). Replicas are not moved between directories yet. */
export const describeLogDirsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof describeLogDirs>({
    api: describeLogDirs,
    handle: (request, context) => {
      const isAllowed = services.authorizer.isAllowed(context, 'DESCRIBE', 'CLUSTER', CLUSTER_NAME);
      if (!isAllowed) return { errorCode: codeOf('CLUSTER_AUTHORIZATION_FAILED'), results: [] };
      return { results: describeAll(services, request) };
    },
    failed: (_request, error) => ({ errorCode: error.code, results: [] }),
  });

const describeAll = (services: BrokerServices, request: Request): Result[] => {
  const { logManager, brokerId, metadata, environment } = services;
  const isWanted = wantedLogs(request);
  const cordoned = new Set(metadata.image.cluster.brokers.get(brokerId)?.cordonedLogDirs);
  const offline = logManager.offlinePaths.map((logDir) => ({ errorCode: codeOf('KAFKA_STORAGE_ERROR'), logDir, topics: [] }));
  const online = logManager.directories.filter(({ isOffline }) => !isOffline);
  return online
    .map(({ path }): Result => {
      const logs = logManager.logs.filter((log) => log.logDirectory === path && isWanted(log));
      const isCordoned = cordoned.has(logManager.directoryIdOf(path));
      return { logDir: path, topics: byTopic(logs), ...environment.disk.space(path), isCordoned };
    })
    .concat(offline);
};

const wantedLogs = (request: Request): ((log: PartitionLog) => boolean) => {
  if (request.topics === null) return () => true;
  const wanted = new Set(
    request.topics.flatMap(({ topic, partitions }) => partitions.map((partition) => `${topic}-${partition}`)),
  );
  return ({ topicPartition: { topic, partition } }) => wanted.has(`${topic}-${partition}`);
};

const byTopic = (logs: readonly PartitionLog[]): Result['topics'] => {
  const grouped = Map.groupBy(logs, ({ topicPartition }) => topicPartition.topic);
  return [...grouped].map(([name, ofTopic]) => ({
    name,
    partitions: ofTopic.map((log) => ({
      partitionIndex: log.topicPartition.partition,
      partitionSize: log.sizeInBytes,
      offsetLag: Math.max(0, log.highWatermark - log.logEndOffset),
      isFutureKey: false,
    })),
  }));
};
