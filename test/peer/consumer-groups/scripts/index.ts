import { membershipScripts } from './membership.ts';
import { migrationScripts } from './migration.ts';
import { offsetsScripts } from './offsets.ts';
import { randomScripts } from './random.ts';
import type { Script } from './script.ts';
import { subscriptionsScripts } from './subscriptions.ts';
import { timeScripts } from './time.ts';

export const scripts: readonly Script[] = [
  ...membershipScripts,
  ...subscriptionsScripts,
  ...timeScripts,
  ...offsetsScripts,
  ...migrationScripts,
  ...randomScripts,
];
