// @vitest-environment happy-dom
import { useState } from 'react';
import { jsx, jsxs } from 'react/jsx-runtime';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

const onClose = vi.fn();

/** A page with a button that opens a dialog with a field. */
function Page({ canClose = true }: { readonly canClose?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const dialog = {
    title: 'Rename',
    description: 'Links stay.',
    isOpen,
    canClose,
    onClose() {
      onClose();
      setOpen(false);
    },
    children: jsx('input', { 'aria-label': 'Name' }),
  };
  const button = jsx(Button, { onClick: () => setOpen(true), children: 'Open' });
  return jsxs('main', { children: [button, jsx(Dialog, dialog)] });
}

async function open(canClose?: boolean) {
  onClose.mockReset();
  const view = await mountPart(jsx(Page, { canClose }));
  await view.click(view.get('button', 'Open'));
  return view;
}

describe('a dialog', () => {
  // Fails when the close button has the focus: people had to find the field before they could type.
  test('begins in its first field', async () => {
    const view = await open();
    expect(view.document.activeElement).toBe(view.get('textbox', 'Name'));
  });

  test('has its title as its name, and its description', async () => {
    const view = await open();
    const dialog = view.get('dialog', 'Rename');
    expect(view.document.getElementById(dialog.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'Links stay.',
    );
  });

  // Fails when the focus stays on the page: keys would go to what is behind the dialog.
  test('takes the focus', async () => {
    const view = await open();
    expect(view.get('dialog').contains(view.document.activeElement)).toBe(true);
  });

  // Fails when the page behind it can still be reached by a screen reader.
  test('hides the page behind it', async () => {
    const view = await open();
    expect(view.find('button', 'Open')).toBeUndefined();
  });

  test.each(['Escape', 'the button', 'a click outside'])('is closed by %s', async (way) => {
    const view = await open();
    if (way === 'Escape') await view.press('Escape');
    else if (way === 'the button') await view.click(view.get('button', 'Close'));
    else await view.click(view.document.body);
    expect(onClose).toHaveBeenCalledOnce();
    expect(view.find('dialog')).toBeUndefined();
  });

  // Fails when the focus is lost with the dialog: the next Tab would begin at the top of the page.
  test('returns the focus to what opened it', async () => {
    const view = await open();
    await view.press('Escape');
    expect(view.document.activeElement).toBe(view.get('button', 'Open'));
  });
});

describe('a dialog that must be answered', () => {
  // Fails when a dialog with a secret, or the one of an expired session, is lost by a stray key.
  test.each(['Escape', 'a click outside'])('isn’t closed by %s', async (way) => {
    const view = await open(false);
    if (way === 'Escape') await view.press('Escape');
    else await view.click(view.document.body);
    expect(onClose).not.toHaveBeenCalled();
    expect(view.get('dialog', 'Rename')).toBeDefined();
  });

  test('has no button to close it', async () => {
    const view = await open(false);
    expect(view.find('button', 'Close')).toBeUndefined();
  });
});
