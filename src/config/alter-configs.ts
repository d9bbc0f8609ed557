import { unreachable } from '../base/assert.ts';
import { KafkaError } from '../protocol/errors.ts';
import { brokerConfigs } from './broker-configs.ts';
import type { ConfigResource } from './config-entry.ts';
import { invalidConfig } from './config-value.ts';
import { type ConfigSpec, defaultText } from './define-configs.ts';
import type { Texts } from './effective.ts';
import { throttleConfigs } from './throttle-configs.ts';
import { topicConfigs } from './topic-configs.ts';

/** In the order of their numbers in IncrementalAlterConfigs. */
export const alterOperations = ['SET', 'DELETE', 'APPEND', 'SUBTRACT'] as const;

export type AlterOperation = (typeof alterOperations)[number];

/** One change to one config. The value of DELETE does not count. */
export interface Alteration {
  readonly name: string;
  readonly operation: AlterOperation;
  readonly value: string | null;
}

/**
 * What is set for a resource after alterations (KIP-339). APPEND and SUBTRACT work on lists of topics and brokers, starting from
 * the default of Kafka where nothing is set. The result still has to be checked. Throws INVALID_REQUEST or INVALID_CONFIG.
 */
export function alterTexts(resource: ConfigResource, current: Texts, alterations: readonly Alteration[]): Map<string, string> {
  if (new Set(alterations.map(({ name }) => name)).size !== alterations.length) {
    throw new KafkaError('INVALID_REQUEST', 'Error due to duplicate config keys');
  }
  const withoutValue = alterations.filter(({ operation, value }) => value === null && operation !== 'DELETE');
  if (withoutValue.length > 0) {
    throw new KafkaError('INVALID_REQUEST', `Null value not supported for : ${withoutValue.map(({ name }) => name).join(',')}`);
  }
  const texts = new Map(current);
  for (const { name, operation, value } of alterations) {
    const text = value ?? '';
    switch (operation) {
      case 'SET':
        texts.set(name, text);
        break;
      case 'DELETE':
        texts.delete(name);
        break;
      case 'APPEND':
      case 'SUBTRACT':
        texts.set(name, alterList(entriesOf(resource, name, operation, current), splitList(text), operation));
        break;
      default:
        unreachable(operation);
    }
  }
  return texts;
}

/** Appends what is not there, or takes away the first entry of each that is named; an entry that was there twice is not touched otherwise. */
export function alterList(entries: readonly string[], named: readonly string[], operation: 'APPEND' | 'SUBTRACT'): string {
  if (operation === 'APPEND') {
    const standing = new Set(entries);
    return [...entries, ...new Set(named.filter((entry) => !standing.has(entry)))].join(',');
  }
  const left = new Map<string, number>();
  for (const entry of named) left.set(entry, (left.get(entry) ?? 0) + 1);
  const isTaken = (entry: string): boolean => {
    const count = left.get(entry) ?? 0;
    left.set(entry, count - 1);
    return count > 0;
  };
  return entries.filter((entry) => !isTaken(entry)).join(',');
}

function entriesOf(resource: ConfigResource, name: string, operation: AlterOperation, current: Texts): readonly string[] {
  const spec = listSpec(resource, name);
  if (spec?.type !== 'LIST') {
    const isBroker = resource.type === 'broker';
    if (isBroker && spec === undefined) throw invalidConfig(`Unknown config name: ${name}`);
    throw invalidConfig(
      isBroker
        ? `Config value ${operation.toLowerCase()} is not allowed for config key: ${name}`
        : `Can't ${operation} to key ${name} because its type is not LIST.`,
    );
  }
  const text = current.get(name) ?? defaultText(spec) ?? '';
  return text === '' ? [] : splitList(text);
}

/** Entries are compared as they are written, spaces and all. */
const splitList = (text: string): string[] => text.split(',');

/** Lists of groups and metrics subscriptions cannot be appended to; Kafka does not, and tools know. */
export function listSpec({ type }: ConfigResource, name: string): ConfigSpec | undefined {
  if (type === 'topic') return topicConfigs.specs.get(name);
  return type === 'broker' ? (brokerConfigs.specs.get(name) ?? throttleConfigs.specs.get(name)) : undefined;
}
