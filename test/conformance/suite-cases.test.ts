import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { passingCases } from '../../scripts/suite-cases.ts';

const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

test('the page of the suites counts the cases it lists, and names each once', () => {
  const suites = passingCases(page);
  assert.deepEqual([...suites.keys()], ['librdkafka', 'java-tools', 'kgo', 'kafka-go', 'watermill', 'node-rdkafka', 'clients']);
  for (const [name, cases] of suites) {
    assert.equal(new Set(cases).size, cases.length, `${name} names each case once`);
    const [, section = ''] = page.split(`\n## ${name}\n`);
    assert.match(section, new RegExp(`^### Passes: ${cases.length}$`, 'm'), name);
  }
});

test('cases are read from the block below their heading, and from nowhere else', () => {
  const text =
    '# A\n\n## one\n\n```sh\nno/case\n```\n\n### Passes: 2\n\n```text\na/b\nc (d)\n```\n\n### Waits\n\n## two\n\nnothing\n';
  assert.deepEqual([...passingCases(text)], [['one', ['a/b', 'c (d)']]]);
});
