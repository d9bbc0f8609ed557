import { NO_LIMIT } from '../protocol/schema.ts';
import { defineConfigs, double, long, type Values } from './define-configs.ts';

/** Quotas of users and client ids. */
export const clientQuotaConfigs = defineConfigs('client-quota', {
  consumer_byte_rate: long({ default: NO_LIMIT, importance: 'medium', doc: 'Bytes a second that may be fetched.' }),
  controller_mutation_rate: double({
    default: 2_147_483_647,
    importance: 'medium',
    doc: 'Partitions a second that may be created, deleted or added.',
  }),
  producer_byte_rate: long({ default: NO_LIMIT, importance: 'medium', doc: 'Bytes a second that may be produced.' }),
  request_percentage: double({
    default: 2_147_483_647,
    importance: 'medium',
    doc: "Share of the broker's time that requests may take, in percent.",
  }),
});

export type ClientQuotaConfig = Values<typeof clientQuotaConfigs>;
