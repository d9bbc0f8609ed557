import { defineConfigs, int } from './define-configs.ts';

/** Quotas of addresses. */
export const ipQuotaConfigs = defineConfigs('ip-quota', {
  connection_creation_rate: int({
    default: 2_147_483_647,
    min: 0,
    importance: 'medium',
    doc: 'Connections a second from one address.',
  }),
});
