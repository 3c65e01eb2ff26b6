// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { openView, say } from '../../../testing/open-view.ts';
import { type LogsView, parseLogsView } from '../state/logs-view.ts';
import { LogsBar } from './logs-bar.tsx';

type BarProps = Parameters<typeof LogsBar>[0];

async function open(changes: Partial<LogsView> = {}, props: Partial<BarProps> = {}) {
  const onChange = vi.fn();
  const onRefresh = vi.fn();
  const bar = (more: Partial<LogsView> = {}) => {
    const view = { ...parseLogsView({}), deployment: 'shop', ...changes, ...more };
    const about = { view, deployments: ['shop', 'blog'], problem: undefined, onChange, onRefresh };
    return createElement(LogsBar, { ...about, areFieldsOpen: false, onToggleFields() {}, ...props });
  };
  const view = await openView(bar(), {
    answers: { 'POST /v1/deployment/logs/fields': () => ({ fields: [], entries: 0, is_sampled: false }) },
  });
  return {
    view,
    onChange,
    onRefresh,
    show: (more: Partial<LogsView>) => view.render(bar(more)),
    search: async (filter: string) => {
      await view.fill(view.field(say('logs.filter')), filter);
      await view.press('Enter');
    },
  };
}

describe('the filter', () => {
  test('is applied by Enter, and not while it is typed', async () => {
    const { view, onChange, search } = await open();
    await view.fill(view.field(say('logs.filter')), 'severity>=ERROR');
    expect(onChange).not.toHaveBeenCalled();
    await search('severity>=ERROR');
    expect(onChange.mock.calls).toEqual([[{ filter: 'severity>=ERROR', entry: undefined }]]);
  });

  // Fails when Enter on the same filter does nothing: it is how people look for new entries.
  test('that is applied already reads the log anew', async () => {
    const { onChange, onRefresh, search } = await open({ filter: 'a' });
    await search('a');
    expect([onChange.mock.calls, onRefresh.mock.calls.length]).toEqual([[], 1]);
  });

  // Fails when a filter that can't be right is sent to the server.
  test.each(['(a OR b', 'message="x'])('%j is refused before it is sent', async (filter) => {
    const { view, onChange, onRefresh, search } = await open();
    await search(filter);
    expect([onChange.mock.calls, onRefresh.mock.calls]).toEqual([[], []]);
    expect(view.find('alert')).toBeDefined();
    await search('a');
    expect(onChange).toHaveBeenCalledOnce();
  });

  // Fails when the address says one thing and the field another, as after the browser's Back.
  test('follows the address', async () => {
    const { view, show } = await open({ filter: 'a' });
    await view.fill(view.field(say('logs.filter')), 'half typed');
    await show({ filter: 'b' });
    expect(view.field(say('logs.filter')).value).toBe('b');
  });

  // Fails when the problem of the filter before stays at a text that has changed.
  test('shows the server’s problem only while it is the text that was sent', async () => {
    const { view } = await open({ filter: 'a=' }, { problem: { message: 'expected a value', at: 2 } });
    expect(view.get('alert').textContent).toContain('expected a value');
    await view.fill(view.field(say('logs.filter')), 'a=1');
    expect(view.find('alert')).toBeUndefined();
  });
});

describe('live', () => {
  // Fails when a fixed range is followed, in which nothing new can be.
  test('leaves a fixed range for the last hour', async () => {
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T01:00:00Z' };
    const { view, onChange } = await open({ range });
    await view.click(view.get('switch'));
    expect(onChange.mock.calls).toEqual([[{ isLive: true, entry: undefined, range: { last: '1h' } }]]);
  });

  test('keeps a range that ends now', async () => {
    const { view, onChange } = await open({ range: { last: '24h' } });
    await view.click(view.get('switch'));
    expect(onChange.mock.calls).toEqual([[{ isLive: true, entry: undefined }]]);
  });
});

describe('the deployment', () => {
  test('is chosen by a part of its name', async () => {
    const { view, onChange } = await open();
    const box = view.field(say('logs.deployment'));
    await view.click(box);
    await view.fill(box, 'lo');
    expect(view.all('option').map(({ textContent }) => textContent)).toEqual(['blog']);
    await view.click(view.get('option', 'blog'));
    expect(onChange).toHaveBeenCalledWith({ deployment: 'blog', entry: undefined });
  });

  // Fails when the log is read anew although nothing has changed.
  test('that is shown already changes nothing', async () => {
    const { view, onChange } = await open();
    await view.click(view.field(say('logs.deployment')));
    await view.click(view.get('option', 'shop'));
    expect(onChange).not.toHaveBeenCalled();
  });
});
