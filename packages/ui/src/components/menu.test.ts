// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { Menu } from './menu.tsx';

async function open() {
  const chosen = vi.fn();
  const items = ['Light', 'Dark'].map((label) => ({
    label,
    isChosen: label === 'Dark',
    onChoose: () => chosen(label),
  }));
  const trigger = createElement('button', { type: 'button' }, 'Theme');
  const view = await mountPart(createElement(Menu, { trigger, items }));
  return { view, chosen, button: view.get('button', 'Theme') };
}

describe('a menu', () => {
  test('is opened by its button, and does what is clicked', async () => {
    const { view, chosen, button } = await open();
    expect(view.all('menuitem')).toEqual([]);
    await view.click(button);
    await view.click(view.get('menuitem', 'Light'));
    expect(chosen.mock.calls).toEqual([['Light']]);
    expect(view.all('menuitem')).toEqual([]);
  });

  // Fails when the items can't be reached without a mouse.
  test('is used by keys alone', async () => {
    const { view, chosen, button } = await open();
    await view.focus(button);
    await view.press('ArrowDown');
    await view.press('ArrowDown');
    await view.press('Enter');
    expect(chosen.mock.calls).toEqual([['Dark']]);
  });

  // Fails when the choice is told by its mark alone, which a screen reader doesn't see.
  test('says which item is chosen', async () => {
    const { view, button } = await open();
    await view.click(button);
    expect(view.all('menuitem').map((item) => item.getAttribute('aria-current'))).toEqual([null, 'true']);
  });

  test('is left by Escape, which does nothing and returns the focus', async () => {
    const { view, chosen, button } = await open();
    await view.focus(button);
    await view.press('ArrowDown');
    await view.press('Escape');
    expect(view.all('menuitem')).toEqual([]);
    expect(view.document.activeElement).toBe(button);
    expect(chosen).not.toHaveBeenCalled();
  });
});
