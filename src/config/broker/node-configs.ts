import { NO_LIMIT } from '../../protocol/schema.ts';
import { boolean, className, int, list, listOf, long, string } from '../define-configs.ts';

/** The node itself: identity, roles, registration, topics by default, policies, metrics, quotas. */
export const nodeConfigs = {
  'alter.config.policy.class.name': className({ default: null, importance: 'low', doc: 'Class that may refuse config changes.' }),
  'auto.create.topics.enable': boolean({
    default: true,
    importance: 'high',
    doc: 'Makes a missing topic when a client asks for its metadata and wants it made.',
  }),
  'background.threads': int({
    default: 10,
    min: 1,
    importance: 'high',
    update: 'cluster-wide',
    doc: 'Threads for background work. Ottla runs on one event loop and ignores it.',
  }),
  'broker.heartbeat.interval.ms': int({
    default: 2_000,
    importance: 'medium',
    doc: 'Time between heartbeats of a broker to the controller.',
  }),
  'broker.id': int({ default: -1, importance: 'high', doc: 'Old name of `node.id`.' }),
  'broker.rack': string({
    default: null,
    importance: 'medium',
    doc: 'Rack of this broker: replicas are spread over racks, and readers may stay in theirs.',
  }),
  'broker.session.timeout.ms': int({
    default: 9_000,
    importance: 'medium',
    doc: 'Time without a heartbeat after which the controller fences a broker.',
  }),
  'client.quota.callback.class': className({ default: null, importance: 'low', doc: 'Class that decides quotas.' }),
  'config.providers': list({
    default: [],
    importance: 'low',
    update: 'cluster-wide',
    doc: 'Names of providers that config values may refer to.',
  }),
  'controlled.shutdown.enable': boolean({
    default: true,
    importance: 'medium',
    doc: 'Moves leadership away before a broker stops.',
  }),
  'controller.quota.window.num': int({
    default: 11,
    min: 1,
    importance: 'low',
    doc: 'Samples kept of the rate of controller mutations.',
  }),
  'controller.quota.window.size.seconds': int({ default: 1, min: 1, importance: 'low', doc: 'Length of one such sample.' }),
  'create.topic.policy.class.name': className({ default: null, importance: 'low', doc: 'Class that may refuse new topics.' }),
  'delete.topic.enable': boolean({ default: true, importance: 'high', doc: 'Allows topics to be deleted.' }),
  'initial.broker.registration.timeout.ms': int({
    default: 60_000,
    importance: 'medium',
    doc: 'Time a broker tries to register with the controller before it stops.',
  }),
  'kafka.metrics.polling.interval.secs': int({
    default: 10,
    min: 1,
    importance: 'low',
    doc: 'Time between runs of metrics reporters. Ignored.',
  }),
  'kafka.metrics.reporters': list({ default: [], importance: 'low', doc: 'Classes that report server metrics. Ignored.' }),
  'metric.reporters': list({
    default: ['org.apache.kafka.common.metrics.JmxReporter'],
    importance: 'low',
    update: 'cluster-wide',
    doc: 'Classes that report client metrics. Ignored.',
  }),
  'metrics.num.samples': int({ default: 2, min: 1, importance: 'low', doc: 'Samples behind a metric.' }),
  'metrics.recording.level': string({ default: 'INFO', importance: 'low', doc: 'Which metrics are recorded.' }),
  'metrics.sample.window.ms': long({ default: 30_000, min: 1, importance: 'low', doc: 'Length of a metrics sample.' }),
  'node.id': int({ min: 0, importance: 'high', doc: 'Number of this node; different for every node of a cluster.' }),
  'process.roles': listOf({
    allowed: ['broker', 'controller'],
    notEmpty: true,
    importance: 'high',
    doc: 'What this node is: `broker`, `controller` or both.',
  }),
  'quota.window.num': int({ default: 11, min: 1, importance: 'low', doc: 'Samples kept for client quotas.' }),
  'quota.window.size.seconds': int({ default: 1, min: 1, importance: 'low', doc: 'Length of one such sample.' }),
  'server.max.startup.time.ms': long({
    default: NO_LIMIT,
    min: 0,
    importance: 'medium',
    internal: true,
    doc: 'Time a server may take to start.',
  }),
  'telemetry.max.bytes': int({ default: 1_048_576, min: 1, importance: 'low', doc: 'Largest set of metrics a client may push.' }),
  'unstable.api.versions.enable': boolean({
    default: false,
    importance: 'high',
    internal: true,
    doc: 'Offers versions of APIs that may still change.',
  }),
  'unstable.feature.versions.enable': boolean({
    default: false,
    importance: 'high',
    internal: true,
    doc: 'Offers versions of features that may still change.',
  }),
};
