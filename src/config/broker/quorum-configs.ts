import { boolean, int, list, long, string } from '../define-configs.ts';
import { bootstrapServersFault, quorumVotersFault } from '../quorum-addresses.ts';

/** The metadata quorum and its log. */
export const quorumConfigs = {
  'controller.listener.names': list({
    notEmpty: true,
    importance: 'high',
    doc: 'Names of the listeners that only controllers use.',
  }),
  'controller.performance.always.log.threshold.ms': long({
    default: 2_000,
    min: 0,
    importance: 'medium',
    internal: true,
    doc: 'Controller events that take longer are always logged.',
  }),
  'controller.performance.sample.period.ms': long({
    default: 60_000,
    min: 100,
    importance: 'medium',
    internal: true,
    doc: "Time between samples of the controller's event times in the log.",
  }),
  'controller.quorum.append.linger.ms': int({
    default: 25,
    min: 0,
    importance: 'medium',
    doc: 'Time the leader of the metadata quorum waits to write records together.',
  }),
  'controller.quorum.auto.join.enable': boolean({
    default: false,
    importance: 'low',
    doc: 'A controller that is not a voter yet asks to become one.',
  }),
  'controller.quorum.bootstrap.servers': list({
    default: [],
    anyEntries: true,
    validate: bootstrapServersFault,
    importance: 'high',
    doc: 'Controllers to ask for the quorum, as host:port.',
  }),
  'controller.quorum.election.backoff.max.ms': int({
    default: 1_000,
    min: 0,
    importance: 'high',
    doc: 'Longest pause of a candidate before another election.',
  }),
  'controller.quorum.election.timeout.ms': int({
    default: 1_000,
    min: 0,
    importance: 'high',
    doc: 'Time a candidate waits for votes.',
  }),
  'controller.quorum.fetch.max.bytes': int({
    default: 1_048_576,
    min: 1,
    importance: 'low',
    doc: 'Most bytes of metadata records in one fetch.',
  }),
  'controller.quorum.fetch.snapshot.max.bytes': int({
    default: 1_048_576,
    min: 1,
    importance: 'low',
    doc: 'Most bytes of a snapshot in one fetch.',
  }),
  'controller.quorum.fetch.timeout.ms': int({
    default: 2_000,
    min: 0,
    importance: 'high',
    doc: 'Time a follower goes without a successful fetch before it stands for election.',
  }),
  'controller.quorum.request.timeout.ms': int({
    default: 2_000,
    min: 0,
    importance: 'medium',
    doc: 'Time a controller waits for an answer of another.',
  }),
  'controller.quorum.retry.backoff.ms': int({
    default: 20,
    min: 0,
    importance: 'low',
    doc: 'Pause before a controller repeats a failed request.',
  }),
  'controller.quorum.voters': list({
    default: [],
    anyEntries: true,
    validate: quorumVotersFault,
    importance: 'high',
    doc: 'Voters of a fixed metadata quorum, as id@host:port.',
  }),
  'controller.socket.timeout.ms': int({ default: 30_000, importance: 'medium', doc: 'Time a broker waits for the controller.' }),
  'internal.metadata.delete.delay.millis': long({
    default: 60_000,
    importance: 'low',
    internal: true,
    doc: 'Time until deleted files of the metadata log are removed.',
  }),
  'internal.metadata.log.segment.bytes': int({
    default: null,
    importance: 'low',
    internal: true,
    doc: 'Size of a metadata segment, for tests.',
  }),
  'internal.metadata.max.batch.size.in.bytes': int({
    default: 8_388_608,
    importance: 'low',
    internal: true,
    doc: 'Largest batch of metadata records.',
  }),
  'metadata.log.dir': string({
    default: null,
    importance: 'high',
    doc: 'Directory of the metadata log; the first log directory if not given.',
  }),
  'metadata.log.max.record.bytes.between.snapshots': long({
    default: 20_971_520,
    min: 1,
    importance: 'high',
    doc: 'Bytes of metadata records after which a snapshot is made.',
  }),
  'metadata.log.max.snapshot.interval.ms': long({
    default: 3_600_000,
    min: 0,
    importance: 'high',
    doc: 'Longest time between snapshots of the metadata.',
  }),
  'metadata.log.segment.bytes': int({
    default: 1_073_741_824,
    min: 8_388_608,
    importance: 'high',
    doc: 'Size at which a segment of the metadata log is closed.',
  }),
  'metadata.log.segment.ms': long({
    default: 604_800_000,
    importance: 'high',
    doc: 'Time after which a segment of the metadata log is closed.',
  }),
  'metadata.max.idle.interval.ms': int({
    default: 500,
    min: 0,
    importance: 'low',
    doc: 'Time after which an idle controller writes a no-op record; 0 for never.',
  }),
  'metadata.max.retention.bytes': long({
    default: 104_857_600,
    importance: 'high',
    doc: 'Size of the metadata log above which old segments and snapshots are deleted.',
  }),
  'metadata.max.retention.ms': long({
    default: 604_800_000,
    importance: 'high',
    doc: 'Time old metadata segments and snapshots are kept.',
  }),
};
