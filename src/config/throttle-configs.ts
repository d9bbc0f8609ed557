import { NO_LIMIT } from '../protocol/schema.ts';
import { defineConfigs, long } from './define-configs.ts';

/** Broker configs that exist only as dynamic ones: they throttle replication. */
export const throttleConfigs = defineConfigs('broker', {
  'follower.replication.throttled.rate': long({
    default: NO_LIMIT,
    min: 0,
    importance: 'medium',
    doc: 'Bytes a second a broker fetches for throttled replicas.',
  }),
  'leader.replication.throttled.rate': long({
    default: NO_LIMIT,
    min: 0,
    importance: 'medium',
    doc: 'Bytes a second a broker sends to throttled replicas.',
  }),
  'replica.alter.log.dirs.io.max.bytes.per.second': long({
    default: NO_LIMIT,
    min: 0,
    importance: 'medium',
    doc: 'Bytes a second that replicas move between log directories.',
  }),
});
