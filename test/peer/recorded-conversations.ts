import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** A conversation that was had with Kafka, and with which set of properties. */
export type Recorded<Conversation> = Conversation & { readonly set: string };

/** The file of golden data that keeps conversations of one kind. */
export class RecordedConversations<Conversation> {
  readonly #url: URL;

  constructor(name: string) {
    this.#url = new URL(`../golden/wire/${name}.jsonl.gz`, import.meta.url);
  }

  read(): readonly Recorded<Conversation>[] {
    const text = gunzipSync(readFileSync(this.#url)).toString('utf8').trim();
    return text.split('\n').map((line) => JSON.parse(line) as Recorded<Conversation>);
  }

  write(conversations: readonly Recorded<Conversation>[]): void {
    writeFileSync(this.#url, gzipSync(conversations.map((each) => `${JSON.stringify(each)}\n`).join(''), { level: 9 }));
  }
}
