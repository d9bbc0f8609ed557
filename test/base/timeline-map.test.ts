import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Timeline, TimelineMap } from '../../src/base/timeline-map.ts';

const sorted = <V>(entries: Iterable<[number, V]>): [number, V][] => [...entries].sort((a, b) => a[0] - b[0]);

type Action =
  | { readonly kind: 'set'; readonly key: number; readonly value: number }
  | { readonly kind: 'delete'; readonly key: number }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'revert'; readonly back: number }
  | { readonly kind: 'forget'; readonly back: number };

const key = fc.integer({ min: 0, max: 8 });
const back = fc.integer({ min: 0, max: 5 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('set'), key, value: fc.integer() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete'), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('snapshot') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revert'), back }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget'), back }) },
);

/** Copies where the map under test keeps differences. */
class Model {
  current = new Map<number, number>();
  snapshots: { readonly epoch: number; readonly entries: Map<number, number> }[] = [];
}

function run(
  step: Action,
  epoch: number,
  { timeline, map, model }: { timeline: Timeline; map: TimelineMap<number, number>; model: Model },
): void {
  const chosen = 'back' in step ? model.snapshots[model.snapshots.length - 1 - step.back] : undefined;
  switch (step.kind) {
    case 'set':
      map.set(step.key, step.value);
      model.current.set(step.key, step.value);
      break;
    case 'delete':
      assert.equal(map.delete(step.key), model.current.delete(step.key));
      break;
    case 'snapshot':
      timeline.snapshot(epoch);
      model.snapshots.push({ epoch, entries: new Map(model.current) });
      break;
    case 'revert':
      if (chosen === undefined) return;
      timeline.revertTo(chosen.epoch);
      model.current = new Map(chosen.entries);
      model.snapshots = model.snapshots.filter((snapshot) => snapshot.epoch <= chosen.epoch);
      break;
    case 'forget':
      if (chosen === undefined) return;
      timeline.forgetBefore(chosen.epoch);
      model.snapshots = model.snapshots.filter((snapshot) => snapshot.epoch >= chosen.epoch);
      break;
  }
}

test('a timeline map holds, at each snapshot and now, what copies of the whole map would hold', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (steps) => {
      const timeline = new Timeline();
      const subject = { timeline, map: new TimelineMap<number, number>(timeline), model: new Model() };
      for (const [at, step] of steps.entries()) {
        run(step, at, subject);
        const { map, model } = subject;
        assert.deepEqual(sorted(map), sorted(model.current));
        assert.equal(map.size, model.current.size);
        for (const { epoch, entries } of model.snapshots) {
          assert.deepEqual(sorted(map.entriesAt(epoch)), sorted(entries));
          for (let each = 0; each <= 8; each++) assert.equal(map.getAt(each, epoch), entries.get(each));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('maps of one timeline go back together', () => {
  const timeline = new Timeline();
  const members = new TimelineMap<string, number>(timeline);
  const offsets = new TimelineMap<string, number>(timeline);
  members.set('a', 1);
  timeline.snapshot(10);
  members.set('a', 2);
  offsets.set('t', 5);
  timeline.snapshot(11);
  offsets.delete('t');
  timeline.revertTo(10);
  assert.equal(members.get('a'), 1);
  assert.equal(offsets.get('t'), undefined);
  assert.ok(timeline.hasSnapshot(10));
  assert.ok(!timeline.hasSnapshot(11));
});

test('a snapshot that was forgotten cannot be read', () => {
  const timeline = new Timeline();
  const map = new TimelineMap<string, number>(timeline);
  timeline.snapshot(1);
  timeline.snapshot(2);
  timeline.forgetBefore(2);
  assert.throws(() => map.getAt('a', 1), /there is a snapshot at 1/);
  assert.throws(() => timeline.snapshot(1), /goes forward/);
});
