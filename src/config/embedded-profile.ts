import type { Texts } from './effective.ts';

export interface EmbeddedOptions {
  /** Where the data lies. */
  readonly dataDirectory: string;
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port?: number;
}

const DEFAULT_PORT = 9092;

/** A name that is both 127.0.0.1 and ::1, so that nobody outside of this machine gets in. */
const DEFAULT_HOST = 'localhost';

/**
 * What a node is that was told nothing: broker and controller in one, a quorum of one, reached by clients of this machine only.
 * Internal topics get one replica, since there is one broker; everything else is Kafka's default.
 */
export function embeddedProfile({ dataDirectory, host = DEFAULT_HOST, port = DEFAULT_PORT }: EmbeddedOptions): Texts {
  return new Map([
    ['process.roles', 'broker,controller'],
    ['node.id', '1'],
    ['controller.listener.names', 'CONTROLLER'],
    ['listeners', `PLAINTEXT://${host.includes(':') ? `[${host}]` : host}:${port}`],
    ['log.dirs', dataDirectory],
    ['offsets.topic.replication.factor', '1'],
    ['transaction.state.log.replication.factor', '1'],
    ['transaction.state.log.min.isr', '1'],
    ['share.coordinator.state.topic.replication.factor', '1'],
    ['share.coordinator.state.topic.min.isr', '1'],
  ]);
}

/** A node whose configs say nothing of roles or of a quorum is a cluster of one. */
export const isEmbedded = (given: Texts): boolean =>
  ![...given.keys()].some((name) => name === 'process.roles' || /^controller\.(quorum|listener)\./.test(name));
