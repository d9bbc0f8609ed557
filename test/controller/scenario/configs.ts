import { alterConfigs } from '../../../src/protocol/messages/33-alter-configs.ts';
import { incrementalAlterConfigs } from '../../../src/protocol/messages/44-incremental-alter-configs.ts';
import { type Step, step } from './step.ts';

export const TOPIC = 2;
export const BROKER = 4;
export const BROKER_LOGGER = 8;
export const CLIENT_METRICS = 16;
export const GROUP = 32;

const OPERATIONS = { set: 0, delete: 1, append: 2, subtract: 3 } as const;

type Change = readonly [operation: keyof typeof OPERATIONS, name: string, value?: string | null];

export interface Altered {
  readonly type: number;
  readonly name: string;
  readonly changes: readonly Change[];
}

export const alter = (note: string, resources: readonly Altered[], validateOnly = false): Step =>
  step(note, incrementalAlterConfigs, {
    resources: resources.map(({ type, name, changes }) => ({
      resourceType: type,
      resourceName: name,
      configs: changes.map(([operation, key, value = null]) => ({
        name: key,
        configOperation: OPERATIONS[operation],
        value,
      })),
    })),
    validateOnly,
  });

/** The whole of what is set for a topic: the old AlterConfigs. */
export const replace = (note: string, type: number, name: string, configs: Readonly<Record<string, string | null>>): Step =>
  step(note, alterConfigs, {
    resources: [
      { resourceType: type, resourceName: name, configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })) },
    ],
    validateOnly: false,
  });
