// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

const HTTP = { method: 'DELETE', path: '/v1/shop' } as const;

async function open(props: Partial<ConfirmDialogProps> = {}) {
  const calls = { onConfirm: vi.fn(), onClose: vi.fn() };
  const dialog = (more: Partial<ConfirmDialogProps> = {}) => {
    const about = { title: 'Delete shop?', description: 'Its data is lost.', action: 'Delete', isOpen: true };
    return createElement(ConfirmDialog, { ...about, ...calls, ...props, ...more });
  };
  const view = await mountPart(dialog());
  return { view, ...calls, change: (more: Partial<ConfirmDialogProps>) => view.render(dialog(more)) };
}

describe('a question', () => {
  // Fails when the dialog has another role, or isn't described: a screen reader would read only its title.
  test('is an alert dialog with its title and what will be lost', async () => {
    const { view } = await open();
    const dialog = view.get('alertdialog', 'Delete shop?');
    const described = dialog.getAttribute('aria-describedby') ?? '';
    expect(view.document.getElementById(described)?.textContent).toBe('Its data is lost.');
  });

  // Fails when the confirming button comes first: Enter would delete without a look.
  test.each([undefined, { cli: 'npx berth rm shop', http: HTTP }])(
    'begins at a button that loses nothing (%j)',
    async (command) => {
      const { view, onConfirm } = await open({ command });
      expect(view.document.activeElement?.textContent).not.toBe('Delete');
      await view.press('Enter');
      expect(onConfirm).not.toHaveBeenCalled();
    },
  );

  test('is answered by its button, once', async () => {
    const { view, onConfirm, onClose } = await open();
    await view.click(view.get('button', 'Delete'));
    expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 0]);
  });

  // Fails when Escape or Cancel counts as an answer.
  test.each(['Escape', 'Cancel'])('is left by %s without the action', async (way) => {
    const { view, onConfirm, onClose } = await open();
    if (way === 'Escape') await view.press('Escape');
    else await view.click(view.get('button', 'Cancel'));
    expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1]);
  });

  // Fails when a click beside the dialog closes it: people would think that they had answered.
  test('stays when something else is clicked', async () => {
    const { view, onClose } = await open();
    await view.click(view.document.body);
    expect(onClose).not.toHaveBeenCalled();
  });

  test('isn’t there until it is asked', async () => {
    const { view } = await open({ isOpen: false });
    expect(view.find('alertdialog')).toBeUndefined();
  });
});

describe('an action that can’t be undone', () => {
  // Fails when a part of the name is enough, or its case doesn't count.
  test.each(['', 'sho', 'Shop', 'shop ', 'shop2'])('isn’t done after %j was typed', async (typed) => {
    const { view, onConfirm } = await open({ typedName: 'shop' });
    await view.fill(view.field('Type shop to confirm'), typed);
    await view.click(view.get('button', 'Delete'));
    expect(onConfirm).not.toHaveBeenCalled();
  });

  test('is done after the whole name was typed', async () => {
    const { view, onConfirm } = await open({ typedName: 'shop' });
    await view.fill(view.field('Type shop to confirm'), 'shop');
    await view.click(view.get('button', 'Delete'));
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  // Fails when what was typed stays: the next time one click would be enough.
  test('has to be typed anew after the dialog was left', async () => {
    const { view, change } = await open({ typedName: 'shop' });
    await view.fill(view.field('Type shop to confirm'), 'shop');
    await view.press('Escape');
    await change({ isOpen: false });
    await change({ isOpen: true });
    expect(view.field('Type shop to confirm').value).toBe('');
    expect(view.get('button', 'Delete').matches(':disabled')).toBe(true);
  });
});

describe('an action that runs', () => {
  // Fails when a second click reaches it: it would be done twice.
  test('can’t be started again', async () => {
    const { view, onConfirm } = await open({ isBusy: true });
    const button = view.get('button', 'Delete');
    expect([button.matches(':disabled'), button.getAttribute('aria-busy')]).toEqual([true, 'true']);
    await view.click(button);
    expect(onConfirm).not.toHaveBeenCalled();
  });

  test('can be tried again after it was refused', async () => {
    const { view, change, onConfirm } = await open();
    expect(view.find('alert')).toBeUndefined();
    await change({ error: new Error('Two deployments mount it.') });
    expect(view.get('alert').textContent).toContain('Two deployments mount it.');
    await view.click(view.get('button', 'Delete'));
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  test.each([null, undefined])('shows no error for %s', async (error) => {
    const { view } = await open({ error });
    expect(view.find('alert')).toBeUndefined();
  });
});
