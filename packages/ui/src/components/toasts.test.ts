// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { MountedView } from '../testing/mount.ts';
import { mountPart } from '../testing/mount-part.ts';
import { type Tell, useTell } from './toasts.tsx';

afterEach(() => {
  vi.useRealTimers();
});

/** Hands out the function that shows toasts. */
function Page({ onTell }: { onTell(tell: Tell): void }) {
  onTell(useTell());
  return null;
}

async function open(shownMs = 0) {
  let tell: Tell = () => {};
  const onTell = (next: Tell) => {
    tell = next;
  };
  const view = await mountPart(createElement(Page, { onTell }), { shownMs });
  return {
    view,
    tell: async (...said: Parameters<Tell>) => {
      await act(async () => tell(...said));
      await view.settle();
    },
  };
}

/** Closes the toast. Its button has a role only while it has the focus, or the mouse is over the toast. */
async function close(view: MountedView) {
  await view.fire('mouseover', {}, view.get('region', 'Notifications'));
  await view.click(view.get('button', 'Close'));
}

describe('a toast', () => {
  // Fails when it is no live region: a screen reader would say nothing of it.
  test('is announced', async () => {
    const { view, tell } = await open();
    await tell('Deleted.');
    expect(view.get('region', 'Notifications').textContent).toContain('Deleted.');
    expect(view.document.querySelectorAll('[aria-live]').length).toBeGreaterThan(0);
  });

  // Fails when the time of the first one is forgotten, or the second one ends with it.
  test('goes after its time, each by itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const { view, tell } = await open(6_000);
    await tell('One.');
    await act(() => vi.advanceTimersByTimeAsync(4_000));
    await tell('Two.');
    await act(() => vi.advanceTimersByTimeAsync(2_100));
    expect([view.text().includes('One.'), view.text().includes('Two.')]).toEqual([false, true]);
    await act(() => vi.advanceTimersByTimeAsync(4_000));
    expect(view.text()).not.toContain('Two.');
  });

  test('is closed by its button', async () => {
    const { view, tell } = await open();
    await tell('Deleted.');
    await close(view);
    expect(view.text()).not.toContain('Deleted.');
  });
});

describe('a toast with Undo', () => {
  // Fails when it stays after Undo: a second click would undo twice.
  test('undoes once, and goes', async () => {
    const { view, tell } = await open();
    const onUndo = vi.fn();
    await tell('Deleted.', { label: 'Restore', onUndo });
    expect(onUndo).not.toHaveBeenCalled();
    await view.click(view.get('button', 'Restore'));
    expect(onUndo).toHaveBeenCalledOnce();
    expect(view.find('button', 'Restore')).toBeUndefined();
  });

  // Fails when closing a toast counts as Undo.
  test('undoes nothing when it is closed', async () => {
    const { view, tell } = await open();
    const onUndo = vi.fn();
    await tell('Deleted.', { label: 'Restore', onUndo });
    await close(view);
    expect(onUndo).not.toHaveBeenCalled();
  });

  // Fails when the action of one toast is that of another.
  test('undoes its own action', async () => {
    const { view, tell } = await open();
    const undone: string[] = [];
    for (const name of ['a', 'b'])
      await tell(`Deleted ${name}.`, { label: `Restore ${name}`, onUndo: () => undone.push(name) });
    await view.click(view.get('button', 'Restore a'));
    expect(undone).toEqual(['a']);
    expect(view.text()).toContain('Deleted b.');
  });
});
