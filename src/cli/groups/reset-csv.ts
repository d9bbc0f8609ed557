import { CliError } from '../cli-error.ts';

/** One line of a file of offsets, as kafka-consumer-groups exports and imports them. */
export interface ResetLine {
  /** Null in files that are about one group only. */
  readonly group: string | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** `topic,partition,offset`, or with the group in front; quotation marks where a text needs them. */
export const resetCsv = ({ group, topic, partition, offset }: ResetLine): string =>
  [...(group === null ? [] : [field(group)]), field(topic), partition, offset].join(',');

/** Kafka's tool puts longer texts, and those with a comma or a character before it in ASCII, in quotation marks. */
const field = (text: string): string =>
  text.length > PLAIN_LENGTH_MAX || Array.from(text).some((character) => character <= ',')
    ? `"${text.replaceAll('"', '""')}"`
    : text;
const PLAIN_LENGTH_MAX = 24;

/** Reads lines of either form. Throws CliError with the number of a line that has neither. */
export function parseResetCsv(text: string, path: string): ResetLine[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '') return [];
    const fields = fieldsOf(trimmed);
    const group = fields.length === 4 ? (fields[0] ?? null) : null;
    const [topic = '', partition = '', offset = ''] = fields.slice(-3);
    if (fields.length < 3 || fields.length > 4 || topic === '' || !/^\d+$/.test(partition) || !/^-?\d+$/.test(offset)) {
      throw new CliError(`${path}, line ${index + 1}: "${trimmed}" is not an offset`, {
        remedy: 'A line is TOPIC,PARTITION,OFFSET or GROUP,TOPIC,PARTITION,OFFSET.',
      });
    }
    return [{ group, topic, partition: Number(partition), offset: Number(offset) }];
  });
}

function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))(?=,|$)/g)) {
    fields.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim());
  }
  return fields;
}
