/** Joins a directory and a name. Storage paths always use a slash, which every platform takes. */
export const joinPath = (directory: string, name: string): string => `${directory}/${name}`;

/** What comes before the last slash. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return '.';
  return slash === 0 ? '/' : path.slice(0, slash);
}
