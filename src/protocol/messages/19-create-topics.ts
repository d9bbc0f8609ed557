import { api, array, boolean, int16, int32, int8, string, uuid } from '../schema.ts';

/**
 * CreateTopics. v4 takes -1 for the broker's defaults (KIP-464), v5 answers with the configs (KIP-525), v7 with the topic
 * id (KIP-516).
 */
export const createTopics = api({
  key: 19,
  name: 'CreateTopics',
  versions: '2-7',
  flexible: '5+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    topics: array({
      name: string({ mapKey: true }),
      numPartitions: int32(),
      replicationFactor: int16(),
      assignments: array({ partitionIndex: int32({ mapKey: true }), brokerIds: array(int32()) }),
      configs: array({ name: string({ mapKey: true }), value: string({ nullable: '0+' }) }),
    }),
    timeoutMs: int32({ default: 60_000 }),
    validateOnly: boolean({ default: false }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    topics: array({
      name: string({ mapKey: true }),
      topicId: uuid({ versions: '7+', ignorable: true }),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+', ignorable: true }),
      topicConfigErrorCode: int16({ tagged: '5+', tag: 0, ignorable: true }),
      numPartitions: int32({ versions: '5+', ignorable: true, default: -1 }),
      replicationFactor: int16({ versions: '5+', ignorable: true, default: -1 }),
      configs: array(
        {
          name: string(),
          value: string({ nullable: '5+' }),
          readOnly: boolean(),
          configSource: int8({ ignorable: true, default: -1 }),
          isSensitive: boolean(),
        },
        { versions: '5+', nullable: '5+', ignorable: true },
      ),
    }),
  },
});
