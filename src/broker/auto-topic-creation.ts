import type { BrokerConfig } from '../config/broker-configs.ts';
import type { ErrorName } from '../protocol/errors.ts';
import { createTopics } from '../protocol/messages/19-create-topics.ts';
import type { RequestOf } from '../protocol/schema.ts';
import type { BrokerServices } from './broker-services.ts';
import { isInternalTopic } from './metadata-view.ts';
import type { RequestContext } from './request-context.ts';
import { topicNameFault } from '../config/topic-name.ts';

type CreatableTopic = RequestOf<typeof createTopics>['topics'][number];

const CREATE_TOPICS_VERSION = 7;
/**
 * Topics that are being made on demand at a time. Whoever wants more asks for their metadata again anyway, and making ten thousand at once, which one request
 * may ask for, keeps the node from everything else for ten seconds.
 */
const UNDER_WAY_MAX = 100;

/** Topics that come into being because somebody asked for their metadata. The asker is told that they do not exist; next time they do. */
export class AutoTopicCreation {
  readonly #services: BrokerServices;
  /** Names that the controller was asked for and has not answered yet. */
  readonly #underWay = new Set<string>();

  constructor(services: BrokerServices) {
    this.#services = services;
  }

  /**
   * Has the topics made, and gives what is told of each of them now. `onBehalfOf` needs the right to create them; null for what the brokers need themselves,
   * whoever was the first to need it.
   */
  create(names: readonly string[], onBehalfOf: RequestContext | null): ReadonlyMap<string, ErrorName> {
    const errors = new Map<string, ErrorName>();
    const wanted: CreatableTopic[] = [];
    for (const name of names) {
      const isValid = topicNameFault(name) === null;
      errors.set(name, isValid ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'INVALID_TOPIC_EXCEPTION');
      if (!isValid || this.#underWay.has(name) || this.#underWay.size >= UNDER_WAY_MAX) continue;
      this.#underWay.add(name);
      wanted.push(creatableTopic(name, this.#services.configs.broker()));
    }
    if (wanted.length > 0) void this.#send(wanted, onBehalfOf);
    return errors;
  }

  async #send(topics: CreatableTopic[], onBehalfOf: RequestContext | null): Promise<void> {
    const { controller, environment, configs } = this.#services;
    const timeoutMs = configs.broker()['request.timeout.ms'];
    try {
      const options = { version: CREATE_TOPICS_VERSION, timeoutMs, ...(onBehalfOf === null ? {} : { onBehalfOf }) };
      const { topics: results } = await controller.send(createTopics, { topics, timeoutMs, validateOnly: false }, options);
      // One client may ask for thousands, again and again: a line for each would be a log of nothing else.
      const refused = results.filter(({ errorCode }) => errorCode !== 0);
      const [first] = refused;
      if (first === undefined) return;
      const { name: topic, errorCode, errorMessage } = first;
      environment.logger.info('A topic was not created on demand', {
        topic,
        errorCode,
        errorMessage,
        others: refused.length - 1,
      });
    } catch (error) {
      const [first, ...others] = topics;
      environment.logger.warn('Topics were not created on demand', { topic: first?.name, others: others.length, error });
    } finally {
      for (const { name } of topics) this.#underWay.delete(name);
    }
  }
}

const creatableTopic = (name: string, config: BrokerConfig): CreatableTopic => ({
  name,
  numPartitions: config['num.partitions'],
  replicationFactor: config['default.replication.factor'],
  assignments: [],
  configs: [],
  ...(isInternalTopic(name) ? internalTopic(name, config) : {}),
});

/** The brokers' own topics have their own settings. */
const internalTopic = (name: string, config: BrokerConfig): Partial<CreatableTopic> => {
  const settings = (
    partitions: number,
    replicas: number,
    segmentBytes: number,
    compression: string,
  ): Partial<CreatableTopic> => ({
    numPartitions: partitions,
    replicationFactor: replicas,
    configs: [
      { name: 'cleanup.policy', value: 'compact' },
      { name: 'compression.type', value: compression },
      { name: 'segment.bytes', value: String(segmentBytes) },
    ],
  });
  switch (name) {
    case '__consumer_offsets':
      return settings(
        config['offsets.topic.num.partitions'],
        config['offsets.topic.replication.factor'],
        config['offsets.topic.segment.bytes'],
        'producer',
      );
    case '__transaction_state': {
      const topic = settings(
        config['transaction.state.log.num.partitions'],
        config['transaction.state.log.replication.factor'],
        config['transaction.state.log.segment.bytes'],
        'uncompressed',
      );
      topic.configs?.push(
        { name: 'min.insync.replicas', value: String(config['transaction.state.log.min.isr']) },
        { name: 'unclean.leader.election.enable', value: 'false' },
      );
      return topic;
    }
    default: {
      const topic = settings(
        config['share.coordinator.state.topic.num.partitions'],
        config['share.coordinator.state.topic.replication.factor'],
        config['share.coordinator.state.topic.segment.bytes'],
        'producer',
      );
      topic.configs?.push({ name: 'min.insync.replicas', value: String(config['share.coordinator.state.topic.min.isr']) });
      return topic;
    }
  }
};
