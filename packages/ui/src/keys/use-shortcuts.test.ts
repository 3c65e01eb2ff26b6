// @vitest-environment happy-dom
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type MountedView, mount } from '../testing/mount.ts';
import { useShortcuts } from './create-shortcuts.ts';

const done = vi.fn();
const SHORTCUTS = { 'mod+k': () => done('palette'), 'g d': () => done('deployments'), '?': () => done('help') };

function Page() {
  useShortcuts(SHORTCUTS);
  return createElement(
    'main',
    null,
    createElement('input', { 'aria-label': 'Name' }),
    createElement('textarea', { 'aria-label': 'Query' }),
    createElement('div', { role: 'note', contentEditable: true, suppressContentEditableWarning: true, tabIndex: 0 }),
    createElement('button', { type: 'button' }, 'Save'),
  );
}

let view: MountedView;
beforeEach(async () => {
  done.mockReset();
  view = await mount(createElement(Page));
});
afterEach(() => {
  vi.useRealTimers();
});

describe('shortcuts of a page', () => {
  // Fails when the browser does its own as well: Ctrl+K would leave for its search field.
  test('take the place of what the browser does', async () => {
    expect((await view.press('k', { ctrlKey: true })).defaultPrevented).toBe(true);
    expect(done.mock.calls).toEqual([['palette']]);
  });

  test('leave all other keys alone', async () => {
    expect((await view.press('x')).defaultPrevented).toBe(false);
    expect((await view.press('g')).defaultPrevented).toBe(false);
    expect(done).not.toHaveBeenCalled();
  });

  test('work while a button has the focus', async () => {
    await view.focus(view.get('button', 'Save'));
    await view.press('g');
    await view.press('d');
    expect(done.mock.calls).toEqual([['deployments']]);
  });

  // Fails when a letter that is typed leaves the page.
  test.each(['input', 'textarea', '[role=note]'])('are letters in %s', async (field) => {
    await view.focus(view.document.querySelector(field));
    for (const key of ['g', 'd', '?']) expect((await view.press(key)).defaultPrevented).toBe(false);
    expect(done).not.toHaveBeenCalled();
    await view.press('k', { metaKey: true });
    expect(done.mock.calls).toEqual([['palette']]);
  });

  // Fails when the listener outlives the page.
  test('end with their page', async () => {
    await view.unmount();
    await view.press('k', { ctrlKey: true });
    expect(done).not.toHaveBeenCalled();
  });
});
