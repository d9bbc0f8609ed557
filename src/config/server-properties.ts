import { getProperties } from 'properties-file';
import { brokerConfigs } from './broker-configs.ts';
import { checkBrokerRules } from './broker-rules.ts';
import { ConfigStore } from './config-store.ts';
import { invalidConfig, parseValue } from './config-value.ts';
import type { Texts } from './effective.ts';
import { type EmbeddedOptions, embeddedProfile, isEmbedded } from './embedded-profile.ts';
import { type NodeSettings, readNodeSettings } from './node-settings.ts';
import { similarName } from './similar-name.ts';
import { withoutListener } from './synonyms.ts';
import { throttleConfigs } from './throttle-configs.ts';

/** A node's configs, checked, and what is odd about them. */
export interface NodeConfiguration {
  readonly settings: NodeSettings;
  readonly store: ConfigStore;
  /** Sentences for the log: keys that nobody knows, entries that stand twice. */
  readonly warnings: readonly string[];
}

/** Reads a .properties file as Java does. */
export const parseProperties = (text: string): Map<string, string> => new Map(Object.entries(getProperties(text)));

/**
 * Checks what a server.properties file and the command line say of a node, and makes a store of it. A key that is not known is
 * a warning, for files hold keys of plugins and of other versions; a value that cannot be is INVALID_CONFIG.
 */
export function configureNode(given: Texts, embedded: EmbeddedOptions): NodeConfiguration {
  const warnings = unknownKeys(given);
  const embeds = isEmbedded(given);
  const named = withBothIds(given);
  const fromFile = withoutRepeats(embeds ? new Map([...withBothIds(embeddedProfile(embedded)), ...named]) : named, warnings);
  for (const [name, spec] of brokerConfigs.specs) {
    const isRequired = !('default' in spec);
    if (isRequired && !fromFile.has(name))
      throw invalidConfig(`Missing required configuration "${name}" which has no default value.`);
  }
  const store = new ConfigStore({ nodeId: Number(fromFile.get('node.id')), fromFile, isEmbedded: embeds });
  const settings = readNodeSettings(store.broker(), given, { isEmbedded: embeds });
  checkBrokerRules(store.broker());
  return { settings, store, warnings };
}

/** `broker.id` is the old name of `node.id`: whichever is given stands for both. */
function withBothIds(given: Texts): Map<string, string> {
  const texts = new Map(given);
  const nodeId = texts.get('node.id') ?? texts.get('broker.id');
  if (nodeId === undefined) return texts;
  if ((texts.get('broker.id') ?? nodeId).trim() !== nodeId.trim()) {
    const advice = '`broker.id` is deprecated, please use `node.id` instead.';
    throw invalidConfig(`\`node.id\` and \`broker.id\` must be set to the same value. ${advice}`);
  }
  return texts.set('node.id', nodeId).set('broker.id', nodeId);
}

/** Kafka drops entries that stand twice in a list of a file, and so do we. */
function withoutRepeats(given: Texts, warnings: string[]): Map<string, string> {
  const texts = new Map(given);
  for (const [name, text] of given) {
    const spec = brokerConfigs.specs.get(name);
    if (spec?.type !== 'LIST' || spec.anyEntries === true || name.startsWith('group.streams.rack')) continue;
    const entries = parseValue(name, text, 'LIST');
    if (!Array.isArray(entries)) continue;
    const once = [...new Set(entries)];
    if (once.length === entries.length) continue;
    texts.set(name, once.join(','));
    warnings.push(`Config ${name} names ${entries.length - once.length} of its entries again; once is enough.`);
  }
  return texts;
}

function unknownKeys(given: Texts): string[] {
  return [...given.keys()]
    .filter((name) => !isKnown(name))
    .map((name) => {
      const meant = similarName(name, brokerConfigs.specs.keys());
      return `Config ${name} is not known and has no effect.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}

function isKnown(name: string): boolean {
  const rest = withoutListener(name) ?? name;
  return brokerConfigs.specs.has(rest) || throttleConfigs.specs.has(rest);
}
