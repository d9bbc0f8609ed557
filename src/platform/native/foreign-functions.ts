import type * as Ffi from 'node:ffi';

/**
 * `node:ffi`, which calls functions of the C library without anything to install. It exists from Node 26 on and may be forbidden
 * (`--permission`): everything that uses it has another way for when this gives null.
 */
let loaded: typeof Ffi | null | undefined;

export function foreignFunctions(): typeof Ffi | null {
  if (loaded === undefined) loaded = load();
  return loaded;
}

/** The module warns that it is experimental when it is first loaded; the fallback makes that our concern and not the user's. */
function load(): typeof Ffi | null {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:ffi') ?? null;
  } catch {
    return null;
  } finally {
    process.emitWarning = emitWarning;
  }
}
