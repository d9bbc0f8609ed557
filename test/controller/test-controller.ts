import type { SimulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { ControllerConfigs } from '../../src/controller/controller-configs.ts';
import type { ControllerSettings } from '../../src/controller/controller-view.ts';
import { LoopbackChannel } from '../../src/controller/loopback-channel.ts';
import { QuorumController } from '../../src/controller/quorum-controller.ts';
import { MetadataLoader } from '../../src/metadata/metadata-loader.ts';
import { decodeMetadataRecord, encodeMetadataRecord } from '../../src/metadata/metadata-record-serde.ts';
import type { MetadataRecord } from '../../src/metadata/metadata-record.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { QuorumStateFile } from '../../src/raft/quorum-state-file.ts';
import { RaftClient } from '../../src/raft/raft-client.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';
import { MemoryRaftLog } from '../raft/memory-raft-log.ts';

export const CLUSTER_ID = '4L6g3nShT-eMCtK--X86sw';

export interface TestControllerOptions {
  readonly environment?: SimulatedEnvironment;
  readonly log?: MemoryRaftLog;
  readonly settings?: Partial<ControllerSettings>;
  readonly configs?: ReadonlyMap<string, string>;
}

/** A controller of a quorum of one over a log in memory, in simulated time. */
export class TestController {
  readonly environment: SimulatedEnvironment;
  readonly log: MemoryRaftLog;
  readonly raft: RaftClient<MetadataRecord>;
  readonly loader: MetadataLoader;
  readonly controller: QuorumController;
  readonly channel: LoopbackChannel;
  readonly errors: unknown[] = [];

  constructor(options: TestControllerOptions = {}) {
    const environment = options.environment ?? simulatedEnvironment();
    this.environment = environment;
    this.log = options.log ?? new MemoryRaftLog();
    environment.disk.makeDirectory('/log');
    const fatal = (error: unknown): void => void this.errors.push(error);
    this.raft = new RaftClient(environment, {
      self: { id: 1, directoryId: null },
      log: this.log,
      quorumState: new QuorumStateFile(environment.disk, '/log'),
      serde: { encode: encodeMetadataRecord, decode: decodeMetadataRecord },
      staticVoters: VoterSet.ofIds([1]),
      electionTimeoutMs: 1000,
      fatal,
    });
    this.loader = new MetadataLoader(() => this.raft.highWatermark);
    this.controller = new QuorumController(environment, {
      settings: {
        nodeId: 1,
        clusterId: CLUSTER_ID,
        endpoints: [{ name: 'CONTROLLER', host: 'localhost', port: 9093, securityProtocol: 0 }],
        incarnationId: 'IncIncIncIncIncInc001A',
        defaultPartitions: 3,
        defaultReplicationFactor: 1,
        defaultMinInsyncReplicas: 1,
        sessionTimeoutMs: 5000,
        maxIdleIntervalMs: 0,
        isTopicDeletionEnabled: true,
        ...options.settings,
      },
      configs: new ControllerConfigs(1, options.configs ?? new Map()),
      raft: this.raft,
      loader: this.loader,
      fatal,
    });
    this.channel = new LoopbackChannel(this.controller, environment.clock);
    this.raft.register(this.loader);
    this.raft.register(this.controller);
  }

  static async started(options: TestControllerOptions = {}): Promise<TestController> {
    const made = new TestController(options);
    made.raft.start();
    await made.run(10);
    return made;
  }

  run(durationMs: number): Promise<void> {
    return this.environment.clock.scheduler.run(durationMs);
  }

  resolve<T>(promise: Promise<T>): Promise<T> {
    return this.environment.clock.scheduler.resolve(promise);
  }

  /** The records of the log from an offset on. */
  recordsFrom(offset: number): MetadataRecord[] {
    const records: MetadataRecord[] = [];
    for (const { bytes, baseOffset } of this.log.batches) {
      if (baseOffset < offset) continue;
      for (const batch of batchesOf(bytes)) {
        if (batch.isControl) continue;
        for (const { value } of recordsOf(batch)) if (value !== null) records.push(decodeMetadataRecord(value));
      }
    }
    return records;
  }
}
