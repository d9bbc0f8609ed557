import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeLogger } from '../../src/platform/node-logger.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';

function logged(format: 'json' | 'text') {
  const lines: string[] = [];
  return { lines, ...createNodeLogger({ write: (line) => lines.push(line), clock: new SimulatedClock(), format }) };
}

describe('the log', () => {
  it('writes an object a line', () => {
    const { lines, logger } = logged('json');
    logger.named('log').info('rolled', { topic: 'a', offset: 2n, sizes: new Map([['x', 1]]), none: undefined });
    logger.error('failed', { error: new Error('boom') });
    assert.deepEqual(JSON.parse(lines[0] ?? ''), {
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      logger: 'log',
      message: 'rolled',
      topic: 'a',
      offset: '2',
      sizes: { x: 1 },
    });
    assert.match(String(JSON.parse(lines[1] ?? '').error), /^Error: boom\n {4}at /);
    assert.ok(lines.every((line) => line.endsWith('\n') && line.indexOf('\n') === line.length - 1));
  });

  it('writes a sentence and its facts for people, and lets no name steer the terminal', () => {
    const { lines, logger } = logged('text');
    logger.named('network').warn('closed\u001b[2J\nnext', { peer: '10.0.0.1:9', why: 'no "reason"', codes: [1, 2] });
    assert.equal(
      lines[0],
      '2026-01-01T00:00:00.000Z WARN  [network] closed\\u001b[2J\\nnext peer=10.0.0.1:9 why="no \\"reason\\"" codes=[ 1, 2 ]\n',
    );
  });

  it('obeys the level of each part, also when it changes', () => {
    const { lines, logger, levels } = logged('text');
    const request = logger.named('request');
    request.debug('a');
    levels.set('request', 'trace');
    request.trace('b');
    logger.debug('c');
    assert.equal(request.isTraceEnabled, true);
    assert.equal(logger.isDebugEnabled, false);
    levels.set('request', null);
    levels.set(null, 'off');
    request.trace('d');
    logger.error('e');
    assert.deepEqual(
      lines.map((line) => line.trim().at(-1)),
      ['b'],
    );
  });
});
