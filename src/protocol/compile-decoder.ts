import type { ByteReader } from './byte-reader.ts';
import { defaultSource } from './default-source.ts';
import { elementBytesMin, type PlannedField, type StructPlan } from './schema-plan.ts';
import { UNKNOWN_TAGS } from './unknown-tags.ts';

export type Decoder = (reader: ByteReader) => unknown;

const EMPTY_BYTES = Buffer.alloc(0);
/**
 * Arrays of no more elements are made with room for exactly these: one that is grown has room for sixteen more, and most arrays of requests have one or two. What a longer
 * one claims is not believed before it comes.
 */
const EXACT_ELEMENTS_MAX = 1024;

/** Compiles the plan of a message to a function made of straight-line reads. */
export function compileDecoder(plan: StructPlan): Decoder {
  const emitter = new DecoderEmitter();
  const main = emitter.struct(plan);
  const source = `'use strict';\n${emitter.source()}\nreturn ${main};`;
  // The source is made from schemas of this program alone.
  // oxlint-disable-next-line typescript/no-implied-eval -- the text comes from schemas of this program, never from a peer
  const make = new Function('UNKNOWN_TAGS', 'EMPTY_BYTES', 'EXACT_ELEMENTS_MAX', source) as (...names: unknown[]) => Decoder;
  return make(UNKNOWN_TAGS, EMPTY_BYTES, EXACT_ELEMENTS_MAX);
}

class DecoderEmitter {
  private readonly functions: string[] = [];
  private readonly names = new Map<StructPlan, string>();

  source(): string {
    return this.functions.join('\n');
  }

  /** Emits the function that reads a struct, and gives its name. */
  struct(plan: StructPlan): string {
    const known = this.names.get(plan);
    if (known !== undefined) return known;
    const name = `struct${this.names.size}`;
    this.names.set(plan, name);
    const lines = plan.fields.map((field) =>
      field.presence === 'plain' ? this.read(field, `const $${field.name}`) : `let $${field.name} = ${defaultSource(field)};`,
    );
    if (plan.flexible) lines.push(this.taggedFields(plan));
    lines.push(`const value = { ${plan.fields.map((field) => `${field.name}: $${field.name}`).join(', ')} };`);
    if (plan.flexible) lines.push('if (unknown !== undefined) value[UNKNOWN_TAGS] = r.unknownTags(unknown, unknownCount);');
    this.functions.push(`function ${name}(r) {\n${lines.join('\n')}\nreturn value;\n}`);
    return name;
  }

  private taggedFields({ tagged }: StructPlan): string {
    const cases = tagged.map(
      (field) => `case ${field.tag}: { ${this.read(field, `$${field.name}`)} r.checkTaggedEnd(end, ${field.tag}); break; }`,
    );
    return `let unknown, unknownCount = 0;
for (let left = r.tagCount(); left > 0; left--) {
const start = r.offset, tag = r.varint(), end = r.taggedEnd();
switch (tag) { ${cases.join('\n')}
default: unknown = r.passUnknown(unknown, start, end); unknownCount++; }
}`;
  }

  private read(field: PlannedField, target: string): string {
    if (field.kind === 'array') return this.array(field, target);
    return `${target} = ${this.readValue(field)};`;
  }

  private readValue({ kind, nullable, compact, struct, presence, options }: PlannedField): string {
    if (kind === 'int64' && options.nearest === true) return 'r.nearestInt64()';
    if (struct === null) return scalarRead(kind, compact, nullable);
    const name = this.struct(struct);
    // Before a nullable struct stands a byte: −1 or 1, but in a tagged field 0 or 1.
    const isNull = presence === 'tagged' ? 'r.varint() === 0' : 'r.int8() < 0';
    return nullable ? `${isNull} ? null : ${name}(r)` : `${name}(r)`;
  }

  private array(field: PlannedField, target: string): string {
    const { name, compact, nullable, struct, elementKind } = field;
    const count = `r.${compact ? 'compactCount' : 'count'}(${Math.max(1, elementBytesMin(field))})`;
    const element = struct === null ? scalarRead(elementKind ?? 'struct', compact, false) : `${this.struct(struct)}(r)`;
    return `const n_${name} = ${count};
let a_${name} = null;
if (n_${name} >= 0) { a_${name} = n_${name} <= EXACT_ELEMENTS_MAX ? new Array(n_${name}) : []; for (let i = 0; i < n_${name}; i++) a_${name}[i] = ${element}; }
${nullable ? '' : `else r.nullArray();`}
${target} = a_${name};`;
  }
}

function scalarRead(kind: PlannedField['kind'], compact: boolean, nullable: boolean): string {
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'records') return `r.${kind}()`;
  const type = kind === 'string' ? 'String' : 'Data';
  const name = `${compact ? 'compact' : ''}${nullable ? 'Nullable' : ''}${type}`;
  return `r.${name.charAt(0).toLowerCase()}${name.slice(1)}()`;
}
