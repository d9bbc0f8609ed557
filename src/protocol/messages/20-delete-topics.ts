import { api, array, int16, int32, string, uuid } from '../schema.ts';

/** DeleteTopics. v6 also takes topic ids (KIP-516). */
export const deleteTopics = api({
  key: 20,
  name: 'DeleteTopics',
  versions: '1-6',
  flexible: '4+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    topics: array({ name: string({ nullable: '6+', default: null }), topicId: uuid() }, { versions: '6+' }),
    topicNames: array(string(), { versions: '0-5', ignorable: true, default: [] }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    responses: array({
      name: string({ nullable: '6+', mapKey: true }),
      topicId: uuid({ versions: '6+', ignorable: true }),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    }),
  },
});
