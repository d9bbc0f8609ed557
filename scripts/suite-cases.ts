/**
 * Reads from docs/conformance.md which cases pass: under a heading `## NAME` that of a suite, under a heading below it that begins
 * with *Passes* a block of text with a case a line.
 */
export function passingCases(page: string): Map<string, string[]> {
  const suites = new Map<string, string[]>();
  for (const section of page.split(/^## /m).slice(1)) {
    const [name = ''] = section.split('\n', 1);
    const cases = [...section.matchAll(/^### Passes.*\n+```text\n([^`]*)```/gm)].flatMap(([, block = '']) =>
      block.trim().split('\n'),
    );
    if (cases.length > 0) suites.set(name.trim(), cases);
  }
  return suites;
}
