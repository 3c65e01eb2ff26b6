// @vitest-environment happy-dom
import { createElement, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openView, say } from '../../testing/open-view.ts';
import type { PlotSpan } from './plot-span.ts';
import { RangeBar } from './range-bar.tsx';

const NOW = '2026-01-10T12:00:00Z';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(NOW) });
});
afterEach(() => {
  vi.useRealTimers();
});

function Page({ first, onSpan }: { readonly first: PlotSpan; onSpan(span: PlotSpan): void }) {
  const [span, setSpan] = useState(first);
  const change = (next: PlotSpan) => {
    onSpan(next);
    setSpan(next);
  };
  return createElement(RangeBar, { span, onSpan: change });
}

async function open(first: PlotSpan = {}) {
  const onSpan = vi.fn();
  const view = await openView(createElement(Page, { first, onSpan }));
  const press = (label: 'earlier' | 'later' | 'in' | 'out' | 'now') =>
    view.click(view.get('button', say(`plots.${label}`)));
  return { view, onSpan, press };
}

describe('the buttons', () => {
  // Fails when a step leads beyond now, where there is nothing.
  test('move by half of the time that is shown, and never beyond now', async () => {
    const { onSpan, press } = await open();
    await press('earlier');
    await press('later');
    await press('later');
    expect(onSpan.mock.calls).toEqual([
      [{ from: '2026-01-10T10:30:00Z', to: '2026-01-10T11:30:00Z' }],
      [{ from: '2026-01-10T11:00:00Z', to: NOW }],
      [{ from: '2026-01-10T11:00:00Z', to: NOW }],
    ]);
  });

  test('show a shorter and a longer time', async () => {
    const { onSpan, press } = await open();
    await press('in');
    await press('out');
    expect(onSpan.mock.calls).toEqual([
      [{ from: '2026-01-10T11:15:00Z', to: '2026-01-10T11:45:00Z' }],
      [{ from: '2026-01-10T11:00:00Z', to: NOW }],
    ]);
  });

  // Fails when the way back to what happens now is lost.
  test('lead back to now', async () => {
    const { view, onSpan, press } = await open({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' });
    await press('now');
    expect(onSpan.mock.calls).toEqual([[{}]]);
    expect(view.find('button', say('plots.now'))).toBeUndefined();
    expect(view.get('button', say('plots.later')).matches(':disabled')).toBe(true);
  });
});

describe('a time that is typed', () => {
  const openFields = async () => {
    const opened = await open({ from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' });
    return {
      ...opened,
      ask: async (from: string, to: string) => {
        await opened.view.fill(opened.view.field(say('logs.range.from')), from);
        await opened.view.fill(opened.view.field(say('logs.range.to')), to);
        await opened.view.press('Enter');
      },
    };
  };

  test('is shown', async () => {
    const { onSpan, ask } = await openFields();
    await ask('2026-01-02T10:00', '2026-01-02T12:00');
    const utc = (local: string) => `${new Date(Date.parse(local)).toISOString().slice(0, 17)}00Z`;
    expect(onSpan.mock.calls).toEqual([[{ from: utc('2026-01-02T10:00'), to: utc('2026-01-02T12:00') }]]);
  });

  // Fails when a range is asked for that the server refuses.
  test.each([
    ['2026-01-02T12:00', '2026-01-02T10:00'],
    ['2024-01-01T00:00', '2026-01-02T10:00'],
    ['', '2026-01-02T10:00'],
  ])('from %j to %j is refused', async (from, to) => {
    const { view, onSpan, ask } = await openFields();
    await ask(from, to);
    expect(onSpan).not.toHaveBeenCalled();
    expect(view.get('alert').textContent).toBe(say('plots.wrongRange'));
    expect(view.get('button', say('plots.show')).matches(':disabled')).toBe(true);
  });
});
