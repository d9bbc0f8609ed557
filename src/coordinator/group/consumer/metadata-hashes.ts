import type { TopicImage } from '../../../metadata/image/topics-image.ts';
import type { MetadataImage } from '../../../metadata/metadata-image.ts';
import { groupHash, topicHash } from '../metadata-hash.ts';

/** Hashes of topics and of sets of them (KIP-1101). A topic's is computed once, until something of the topic changes. */
export class MetadataHashes {
  readonly #ofTopics = new WeakMap<TopicImage, bigint>();

  /** Of those of the topics that exist. */
  ofGroup(names: Iterable<string>, image: MetadataImage): bigint {
    const hashes = new Map<string, bigint>();
    for (const name of names) {
      const topic = image.topics.byName.get(name);
      if (topic !== undefined) hashes.set(name, this.#ofTopic(topic, image));
    }
    return groupHash(hashes);
  }

  #ofTopic(topic: TopicImage, image: MetadataImage): bigint {
    const known = this.#ofTopics.get(topic);
    if (known !== undefined) return known;
    const hash = topicHash(topic, image.cluster);
    this.#ofTopics.set(topic, hash);
    return hash;
  }
}
