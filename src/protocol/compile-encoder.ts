import type { ByteWriter } from './byte-writer.ts';
import { defaultSource, isDefaultSource } from './default-source.ts';
import type { PlannedField, StructPlan } from './schema-plan.ts';
import { UNKNOWN_TAGS } from './unknown-tags.ts';

export type Encoder = (writer: ByteWriter, value: unknown) => void;

const EMPTY_BYTES = Buffer.alloc(0);

/**
 * Compiles the plan of a message to a function made of straight-line writes. Unless it is lenient, a value in a field that the version
 * does not have is refused, except in ignorable fields.
 */
export function compileEncoder(plan: StructPlan, lenient: boolean): Encoder {
  const emitter = new EncoderEmitter(lenient);
  const main = emitter.struct(plan);
  const source = `'use strict';\n${emitter.source()}\nreturn ${main};`;
  // The source is made from schemas of this program alone.
  // oxlint-disable-next-line typescript/no-implied-eval -- the text comes from schemas of this program, never from a peer
  const make = new Function('UNKNOWN_TAGS', 'EMPTY_BYTES', source) as (...names: unknown[]) => Encoder;
  return make(UNKNOWN_TAGS, EMPTY_BYTES);
}

class EncoderEmitter {
  private readonly functions: string[] = [];
  private readonly names = new Map<StructPlan, string>();
  private readonly lenient: boolean;

  constructor(lenient: boolean) {
    this.lenient = lenient;
  }

  source(): string {
    return this.functions.join('\n');
  }

  /** Emits the function that writes a struct, and gives its name. */
  struct(plan: StructPlan): string {
    const known = this.names.get(plan);
    if (known !== undefined) return known;
    const name = `struct${this.names.size}`;
    this.names.set(plan, name);
    const lines = plan.fields.map((field) => this.field(field));
    if (plan.flexible) lines.push(this.taggedFields(plan));
    this.functions.push(`function ${name}(w, v) {\n${lines.filter((line) => line !== '').join('\n')}\n}`);
    return name;
  }

  private field(field: PlannedField): string {
    const value = `v.${field.name}`;
    if (field.presence === 'plain') {
      const isOptional = field.options.default !== undefined;
      return this.write(field, isOptional ? `${value} === undefined ? ${defaultSource(field)} : ${value}` : value);
    }
    if (field.presence === 'tagged' || this.lenient || field.options.ignorable === true) return '';
    return `if (!(${isDefaultSource(field, value)})) w.absent('${field.name}');`;
  }

  private taggedFields({ tagged }: StructPlan): string {
    const tests = tagged.map((field) => `const is_${field.name} = !(${isDefaultSource(field, `v.${field.name}`)});`);
    const counts = tagged.map((field) => `(is_${field.name} ? 1 : 0)`);
    const writes = tagged.map(
      (field) =>
        `if (is_${field.name}) { const start = w.startTagged(${field.tag}); ${this.write(field, `v.${field.name}`)} w.endTagged(start); }`,
    );
    return `${tests.join('\n')}
const unknown = v[UNKNOWN_TAGS];
w.varint(${['(unknown === undefined ? 0 : unknown.count)', ...counts].join(' + ')});
${writes.join('\n')}
if (unknown !== undefined) w.raw(unknown.bytes);`;
  }

  private write(field: PlannedField, value: string): string {
    const { name, kind, compact, nullable, struct, options } = field;
    if (kind === 'array') return this.array(field, value);
    if (kind === 'int64' && options.nearest === true) return `w.nearestInt64(${value});`;
    if (struct === null) return `w.${scalarWriter(kind, compact, nullable)}(${value});`;
    const write = this.struct(struct);
    if (!nullable) return `${write}(w, ${value});`;
    return `const s_${name} = ${value};
if (s_${name} === null) w.int8(${field.presence === 'tagged' ? 0 : -1}); else { w.int8(1); ${write}(w, s_${name}); }`;
  }

  private array({ name, compact, nullable, struct, elementKind }: PlannedField, value: string): string {
    const element =
      struct === null ? `w.${scalarWriter(elementKind ?? 'struct', compact, false)}(e)` : `${this.struct(struct)}(w, e)`;
    const count = compact ? 'w.compactCount' : 'w.count';
    return `const a_${name} = ${value};
${nullable ? `if (a_${name} === null) ${count}(-1); else ` : ''}{
const n = a_${name}.length;
${count}(n);
for (let i = 0; i < n; i++) { const e = a_${name}[i]; ${element}; }
}`;
  }
}

function scalarWriter(kind: PlannedField['kind'], compact: boolean, nullable: boolean): string {
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'records') return kind;
  const type = { string: 'String', bytes: 'Data', records: 'Records' }[kind];
  const name = `${compact ? 'compact' : ''}${nullable ? 'Nullable' : ''}${type}`;
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
