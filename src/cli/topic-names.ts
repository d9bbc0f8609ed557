import { listTopics } from '../client/admin-topics.ts';
import type { Client } from '../client/client.ts';
import type { TopicFacts } from '../client/cluster-metadata.ts';
import { CliError, usageError } from './cli-error.ts';

/** Characters that no topic has and every regular expression that selects several has. A dot alone is a dot. */
const PATTERN = /[*+?^$|()[\]{}\\]/;

/**
 * Topics by name, or by regular expression over whole names (`orders.*`); all, if none is named. A name that matches nothing is an error
 * unless `ifExists`.
 */
export async function selectTopics(
  client: Client,
  names: readonly string[],
  options: { readonly ifExists?: boolean | undefined; readonly excludeInternal?: boolean | undefined } = {},
): Promise<TopicFacts[]> {
  const all = (await listTopics(client)).filter((topic) => options.excludeInternal !== true || !topic.isInternal);
  if (names.length === 0) return all;
  const wanted = new Set<string>();
  for (const name of names) {
    const matches = PATTERN.test(name) ? matching(all, name) : all.filter((topic) => topic.name === name);
    if (matches.length === 0 && options.ifExists !== true) throw noSuchTopic(name, all);
    for (const topic of matches) wanted.add(topic.name);
  }
  return all.filter((topic) => wanted.has(topic.name));
}

function matching(topics: readonly TopicFacts[], pattern: string): TopicFacts[] {
  let expression: RegExp;
  try {
    expression = new RegExp(`^(?:${pattern})$`);
  } catch (error) {
    throw usageError(`"${pattern}" is neither a topic name nor a regular expression: ${String(error)}`);
  }
  return topics.filter((topic) => expression.test(topic.name));
}

function noSuchTopic(name: string, topics: readonly TopicFacts[]): CliError {
  const alike = topics.find((topic) => topic.name.toLowerCase() === name.toLowerCase());
  const remedy =
    alike === undefined
      ? 'See what exists with "ottla topics list"; make it with "ottla topics create NAME".'
      : `Did you mean "${alike.name}"?`;
  return new CliError(`Topic "${name}" does not exist`, { remedy, code: 'UNKNOWN_TOPIC_OR_PARTITION' });
}
