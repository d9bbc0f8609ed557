import { array, int32, int64, int8, message, uuid } from '../../protocol/schema.ts';

/** What changed in a broker's registration: fencing, controlled shutdown, log directories. */
export const brokerRegistrationChangeRecord = message({
  name: 'BrokerRegistrationChangeRecord',
  key: 17,
  versions: '0-3',
  flexible: '0+',
  fields: {
    brokerId: int32(),
    brokerEpoch: int64(),
    fenced: int8({ tagged: '0+', tag: 0 }),
    inControlledShutdown: int8({ tagged: '1+', tag: 1 }),
    logDirs: array(uuid(), { tagged: '2+', tag: 2 }),
    cordonedLogDirs: array(uuid(), { nullable: '3+', tagged: '3+', tag: 3, default: null }),
  },
});
