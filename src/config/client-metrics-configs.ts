import { defineConfigs, int, list, type Values } from './define-configs.ts';

/** A subscription to metrics that clients push (KIP-714). */
export const clientMetricsConfigs = defineConfigs('client-metrics', {
  'interval.ms': int({ default: 300_000, importance: 'medium', doc: 'Time between two pushes of a client.' }),
  match: list({ default: [], importance: 'medium', doc: 'Clients meant, as name=pattern; empty for all.' }),
  metrics: list({ default: [], importance: 'medium', doc: 'Prefixes of the metrics wanted; `*` for all, empty for none.' }),
});

export type ClientMetricsConfig = Values<typeof clientMetricsConfigs>;
