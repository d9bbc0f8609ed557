import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { deleteTopics } from '../protocol/messages/20-delete-topics.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';

type Request = RequestOf<typeof deleteTopics>;
type Response = ResponseInput<typeof deleteTopics>;
type Result = Response['responses'][number];

/** The version from which on a request that finds deletion switched off is told so by a code of its own. */
const FIRST_VERSION_WITH_DISABLED = 3;
/** The version from which on topics are named by structs, perhaps by their ids. */
const FIRST_VERSION_WITH_IDS = 6;

const UNKNOWN_ID = 'This server does not host this topic ID.';
const UNKNOWN_TOPIC = 'This server does not host this topic-partition.';

/** Deletes topics by name or, from version 6 on, by id; each succeeds or fails by itself. */
export function deleteTopicsControl(view: ControllerView, request: Request, version: number): ControllerResult<Response> {
  if (!view.settings.isTopicDeletionEnabled) {
    if (version < FIRST_VERSION_WITH_DISABLED) throw new KafkaError('INVALID_REQUEST', 'Topic deletion is disabled.');
    throw new KafkaError('TOPIC_DELETION_DISABLED');
  }
  const deletion = new Deletion(view);
  const named = request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }));
  const topics = version < FIRST_VERSION_WITH_IDS ? named : request.topics;
  deletion.sort(topics);
  const { records, responses } = deletion.finish();
  return { records, response: { responses }, isAtomic: true };
}

interface Wanted {
  readonly name: string | null;
  readonly topicId: string;
}

class Deletion {
  readonly #view: ControllerView;
  readonly #responses: Result[] = [];
  readonly #names = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #duplicateNames = new Set<string>();
  readonly #duplicateIds = new Set<string>();

  constructor(view: ControllerView) {
    this.#view = view;
  }

  /** Sorts what is wanted into names, ids, what came twice and what makes no sense. */
  sort(wanted: readonly Wanted[]): void {
    for (const { name, topicId } of wanted) {
      if (name !== null && topicId !== ZERO_UUID) {
        this.#refuse({ name, topicId }, 'INVALID_REQUEST', 'You may not specify both topic name and topic id.');
      } else if (name !== null) {
        if (this.#names.has(name)) this.#duplicateNames.add(name);
        this.#names.add(name);
      } else if (topicId === ZERO_UUID) {
        this.#refuse({ name, topicId }, 'INVALID_REQUEST', 'Neither topic name nor id were specified.');
      } else {
        if (this.#ids.has(topicId)) this.#duplicateIds.add(topicId);
        this.#ids.add(topicId);
      }
    }
  }

  finish(): { readonly records: readonly MetadataRecord[]; readonly responses: readonly Result[] } {
    const records: MetadataRecord[] = [];
    const { byId, byName } = this.#view.image.topics;
    for (const name of this.#duplicateNames)
      this.#refuse({ name, topicId: ZERO_UUID }, 'INVALID_REQUEST', 'Duplicate topic name.');
    for (const topicId of this.#duplicateIds) this.#refuse({ name: null, topicId }, 'INVALID_REQUEST', 'Duplicate topic id.');
    const remove = (topicId: string, result: Wanted): void => {
      records.push(metadataRecord('RemoveTopicRecord', 0, { topicId }));
      this.#responses.push({ ...result, errorMessage: null });
    };
    for (const name of this.#names) {
      if (this.#duplicateNames.has(name)) continue;
      const topicId = byName.get(name)?.id;
      if (topicId === undefined) this.#refuse({ name, topicId: ZERO_UUID }, 'UNKNOWN_TOPIC_OR_PARTITION', UNKNOWN_TOPIC);
      else if (this.#ids.has(topicId)) {
        this.#ids.delete(topicId);
        this.#refuse({ name, topicId }, 'INVALID_REQUEST', 'The provided topic name maps to an ID that was already supplied.');
      } else remove(topicId, { name, topicId });
    }
    for (const topicId of this.#ids) {
      if (this.#duplicateIds.has(topicId)) continue;
      const name = byId.get(topicId)?.name;
      if (name === undefined) this.#refuse({ name: null, topicId }, 'UNKNOWN_TOPIC_ID', UNKNOWN_ID);
      else remove(topicId, { name, topicId });
    }
    return { records, responses: this.#responses };
  }

  #refuse(wanted: Wanted, error: 'INVALID_REQUEST' | 'UNKNOWN_TOPIC_ID' | 'UNKNOWN_TOPIC_OR_PARTITION', message: string): void {
    this.#responses.push({ ...wanted, errorCode: new KafkaError(error).code, errorMessage: message });
  }
}
