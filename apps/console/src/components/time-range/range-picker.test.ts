// @vitest-environment happy-dom
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openView, say } from '../../testing/open-view.ts';
import { RangePicker } from './range-picker.tsx';
import type { Range } from './time-range.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-10T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

async function open(range: Range | undefined = { last: '1h' }, anyLabel?: string) {
  const onChange = vi.fn();
  const props = { range, onChange, ...(anyLabel !== undefined && { anyLabel }) };
  const view = await openView(createElement(RangePicker<Range | undefined>, props));
  const button = view.get('button', new RegExp(`^${say('logs.range')}: `));
  await view.click(button);
  return {
    view,
    onChange,
    button,
    /** Types two times and asks for them. */
    ask: async (from: string, to: string) => {
      await view.fill(view.field(say('logs.range.from')), from);
      await view.fill(view.field(say('logs.range.to')), to);
      await view.press('Enter');
    },
  };
}

describe('a range', () => {
  test('is named by its button, and marked in the list', async () => {
    const { view, button } = await open();
    expect(button.getAttribute('aria-label')).toBe(`${say('logs.range')}: ${say('logs.range.1h')}`);
    const current = view.all('button').filter((one) => one.getAttribute('aria-current') === 'true');
    expect(current.map(({ textContent }) => textContent)).toEqual([say('logs.range.1h')]);
  });

  test('before now is chosen by a press, which closes the list', async () => {
    const { view, onChange } = await open();
    await view.click(view.get('button', say('logs.range.7d')));
    expect(onChange.mock.calls).toEqual([[{ last: '7d' }]]);
    expect(view.find('button', say('logs.range.30d'))).toBeUndefined();
  });

  // Fails when no range can't be chosen back once there is one.
  test('may be none, where that has a name', async () => {
    const { view, onChange } = await open({ last: '1h' }, 'Any time');
    await view.click(view.get('button', 'Any time'));
    expect(onChange.mock.calls).toEqual([[undefined]]);
  });
});

describe('a range that is typed', () => {
  test('begins as the one that is shown', async () => {
    const { view } = await open();
    const fields = [say('logs.range.from'), say('logs.range.to')].map((label) => view.field(label).value);
    expect(fields).toEqual(['now-1h', 'now']);
  });

  // Fails when “now” is read at the moment of each field: the range would not be as long as was typed.
  test('is fixed to two times', async () => {
    const { onChange, ask } = await open();
    await ask('now-45m', 'now');
    expect(onChange.mock.calls).toEqual([[{ from: '2026-01-10T11:15:00.000Z', to: '2026-01-10T12:00:00.000Z' }]]);
  });

  // Fails when an unreadable or a backward range is asked for all the same.
  test.each([
    ['sometime', 'now', 'logs.range.unread'],
    ['now-1h', '', 'logs.range.unread'],
    ['now', 'now-1h', 'logs.range.backwards'],
    ['now-1h', 'now-1h', 'logs.range.backwards'],
  ] as const)('from %j to %j is refused at its field', async (from, to, problem) => {
    const { view, onChange, ask } = await open();
    await ask(from, to);
    expect(onChange).not.toHaveBeenCalled();
    expect(view.all('alert').map(({ textContent }) => textContent)).toEqual([say(problem)]);
  });

  // Fails when a person is told of a problem before they have finished typing.
  test('is no problem while it is typed', async () => {
    const { view } = await open();
    await view.fill(view.field(say('logs.range.from')), 'yester');
    expect(view.find('alert')).toBeUndefined();
    expect(view.text()).toContain(say('logs.range.hint'));
  });
});
