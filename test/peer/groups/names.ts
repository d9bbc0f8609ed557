import { mapFields, type Values } from '../differential/fit.ts';

/** Fields that have an id which a coordinator may have made. */
const ID_FIELDS: ReadonlySet<string> = new Set(['memberId', 'leader']);
const HEX = 'hex:';

/** The names that stand for the ids of one coordinator, in the order in which the ids were first seen. */
export class Names {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  /** A request with this coordinator's ids. Ids that it has not made are what they are. */
  toIds(request: Values): Values {
    return mapFields(request, (_field, value) => {
      if (typeof value !== 'string') return value;
      if (value.startsWith(HEX)) return Buffer.from(value.slice(HEX.length), 'hex');
      const id = this.#ids.get(value);
      if (id === undefined && value !== '') this.#names.set(value, value);
      return id ?? value;
    }) as Values;
  }

  /** An answer with names. */
  toNames(answer: unknown): unknown {
    return mapFields(answer, (field, value) => {
      if (value instanceof Uint8Array) return `${HEX}${Buffer.from(value).toString('hex')}`;
      if (Array.isArray(value)) return this.#sorted(field, value);
      return ID_FIELDS.has(field) && typeof value === 'string' && value !== '' ? this.#nameOf(value) : value;
    });
  }

  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `<${this.#ids.size + 1}>`;
    this.#names.set(id, name);
    this.#ids.set(name, id);
    return name;
  }

  /** Kafka has members and groups in hash tables. */
  #sorted(field: string, elements: readonly unknown[]): unknown[] {
    const named = elements.map((element) => this.toNames(element));
    if (field !== 'members' && field !== 'groups') return named;
    const keyOf = (element: unknown): string => {
      const { memberId, groupId } = element as { readonly memberId?: string; readonly groupId?: string };
      return String(groupId ?? memberId);
    };
    return named.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}
