import type { Request, Talker } from './conversation.ts';

/** Says what a script says. */
export class ScriptedTalker implements Talker {
  readonly name: string;
  readonly #script: readonly Request[];
  #said = 0;

  constructor(name: string, script: readonly Request[]) {
    this.name = name;
    this.#script = script;
  }

  next(): Request | null {
    return this.#script[this.#said++] ?? null;
  }

  heard(): void {
    // A script goes on whatever it hears.
  }
}

export const scripted = (scripts: Readonly<Record<string, readonly Request[]>>): readonly Talker[] =>
  Object.entries(scripts).map(([name, script]) => new ScriptedTalker(name, script));
