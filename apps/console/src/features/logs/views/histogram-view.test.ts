// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { openView, say } from '../../../testing/open-view.ts';
import { toHistogram } from '../state/histogram.ts';
import { HistogramView } from './histogram-view.tsx';

const FROM_MS = Date.parse('2026-01-10T12:00:00Z');
const MINUTE_MS = 60_000;
const HISTOGRAM = toHistogram(
  [
    { at: FROM_MS / 1_000, severity: 'INFO', n: 5 },
    { at: FROM_MS / 1_000 + 60, severity: 'ERROR', n: 2 },
  ],
  FROM_MS,
  FROM_MS + 60 * MINUTE_MS,
);
const COUNT = HISTOGRAM.buckets.length;

async function open() {
  const onBrush = vi.fn();
  const view = await openView(createElement(HistogramView, { histogram: HISTOGRAM, isUtc: true, onBrush }));
  const group = view.get('group', say('logs.histogram'));
  Object.assign(group, { getBoundingClientRect: () => ({ left: 100, width: COUNT * 10 }), setPointerCapture() {} });
  /** Moves the pointer to the middle of a step. */
  const point = (type: string, index: number) =>
    view.fire(type, { clientX: 100 + index * 10 + 5, pointerId: 1 }, group);
  const keys = async (...presses: readonly (readonly [key: string, shiftKey?: boolean])[]) => {
    await view.focus(group);
    for (const [key, shiftKey = false] of presses) await view.press(key, { shiftKey });
  };
  const at = (index: number) => new Date(HISTOGRAM.buckets[index]?.atMs ?? 0).toISOString();
  const end = (index: number) => new Date((HISTOGRAM.buckets[index]?.atMs ?? 0) + HISTOGRAM.stepMs).toISOString();
  return { view, onBrush, point, keys, at, end };
}

describe('a range of the histogram', () => {
  // Fails when the last step is left out, or the direction of the drag counts.
  test.each([
    [2, 5],
    [5, 2],
  ])('is dragged from step %i to %i', async (from, to) => {
    const { onBrush, point, at, end } = await open();
    await point('pointerdown', from);
    await point('pointermove', to);
    expect(onBrush).not.toHaveBeenCalled();
    await point('pointerup', to);
    expect(onBrush.mock.calls).toEqual([[{ from: at(2), to: end(5) }]]);
  });

  test('ends at the last step, however far it is dragged', async () => {
    const { onBrush, point, at, end } = await open();
    await point('pointerdown', 1);
    await point('pointermove', COUNT + 50);
    await point('pointerup', COUNT + 50);
    expect(onBrush.mock.calls).toEqual([[{ from: at(1), to: end(COUNT - 1) }]]);
  });

  // Fails when a scroll that begins on the histogram zooms.
  test('is dropped when the browser takes the pointer', async () => {
    const { onBrush, point } = await open();
    await point('pointerdown', 1);
    await point('pointercancel', 3);
    await point('pointerup', 3);
    expect(onBrush).not.toHaveBeenCalled();
  });

  test('isn’t made by moving over it', async () => {
    const { view, onBrush, point } = await open();
    await point('pointermove', 1);
    expect(view.text()).toContain('2');
    await point('pointerup', 1);
    expect(onBrush).not.toHaveBeenCalled();
  });

  // Fails when a pointer that rests on the histogram changes what the keys have selected.
  test('made by keys stays when the pointer moves', async () => {
    const { view, onBrush, point, keys, at, end } = await open();
    await keys(['Home']);
    await point('pointermove', 5);
    await view.press('Enter');
    expect(onBrush.mock.calls).toEqual([[{ from: at(0), to: end(0) }]]);
  });

  test('is made by keys alone', async () => {
    const { onBrush, keys, at, end } = await open();
    await keys(['Home'], ['ArrowRight'], ['ArrowRight', true], ['Enter']);
    expect(onBrush.mock.calls).toEqual([[{ from: at(1), to: end(2) }]]);
  });

  test('is left by Escape, and Enter does nothing then', async () => {
    const { onBrush, keys } = await open();
    await keys(['Home'], ['Escape'], ['Enter']);
    expect(onBrush).not.toHaveBeenCalled();
  });

  // Fails when all keys are taken: Tab could not leave the histogram.
  test('leaves other keys to the browser', async () => {
    const { view, keys } = await open();
    await keys();
    expect((await view.press('Tab')).defaultPrevented).toBe(false);
    expect((await view.press('Escape')).defaultPrevented).toBe(false);
    expect((await view.press('ArrowLeft')).defaultPrevented).toBe(true);
  });
});
