import type { Environment } from '../base/environment.ts';
import type { LogLevels } from '../broker/log-levels.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { QuorumController } from '../controller/quorum-controller.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { Authorizer } from '../security/authorizer.ts';

/** Whom the handlers of a controller's listener ask. */
export interface ControllerServices {
  readonly environment: Environment;
  readonly nodeId: number;
  readonly clusterId: string;
  readonly configs: ConfigStore;
  /** What is committed. */
  readonly image: () => MetadataImage;
  readonly controller: QuorumController;
  readonly authorizer: Authorizer;
  readonly logLevels?: LogLevels;
}
