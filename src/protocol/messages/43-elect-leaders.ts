import { api, array, int16, int32, int8, string } from '../schema.ts';

/** ElectLeaders. KIP-183; v1 chooses the kind of election (KIP-460). */
export const electLeaders = api({
  key: 43,
  name: 'ElectLeaders',
  versions: '0-2',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    electionType: int8({ versions: '1+' }),
    topicPartitions: array({ topic: string({ mapKey: true }), partitions: array(int32()) }, { nullable: '0+' }),
    timeoutMs: int32({ default: 60_000 }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ versions: '1+', default: 0 }),
    replicaElectionResults: array({
      topic: string(),
      partitionResult: array({
        partitionId: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '0+' }),
      }),
    }),
  },
});
