// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { openView } from '../../../testing/open-view.ts';
import { RenameDialog } from './rename-dialog.tsx';

const MOVE = 'POST /v1/volume/move-object';
const REPLACE = 'Replace existing file';

/** Opens the dialog over a volume where the paths `taken` are in use. */
async function open(path: string, taken: readonly string[] = [], isDown = false) {
  const onClose = vi.fn();
  const view = await openView(createElement(RenameDialog, { volume: 'media', path, onClose }), {
    answers: {
      [MOVE]({ body: { to, overwrite } }) {
        if (isDown) throw createError('unavailable', 'The storage is down.');
        if (taken.includes(String(to)) && overwrite !== true) throw createError('conflict', `${to} exists already.`);
        return {};
      },
    },
  });
  return {
    view,
    onClose,
    type: (text: string) => view.fill(view.field('New path'), text),
    rename: () => view.click(view.get('button', 'Rename or move')),
  };
}

describe('renaming', () => {
  // Fails when a first attempt may replace something.
  test('moves a file, says so, and replaces nothing', async () => {
    const { view, onClose, type, rename } = await open('2026/a.txt');
    await type('2026/b.txt');
    await rename();
    expect(view.sent(MOVE)).toEqual([{ volume: 'media', from: '2026/a.txt', to: '2026/b.txt', overwrite: false }]);
    expect(view.text()).toContain('a.txt moved to 2026/b.txt');
    expect(onClose).toHaveBeenCalledOnce();
  });

  // Fails when a folder loses its slash, by which the server knows that it is one.
  test.each(['archive', 'archive/', 'archive//'])('moves a folder to %j as a folder', async (typed) => {
    const { view, type, rename } = await open('2026/');
    expect(view.field('New path').value).toBe('2026');
    await type(typed);
    await rename();
    expect(view.sent(MOVE)).toMatchObject([{ from: '2026/', to: 'archive/' }]);
  });

  test.each(['', 'a.txt'])('isn’t offered for %j, which changes nothing', async (typed) => {
    const { view, type, rename } = await open('a.txt');
    await type(typed);
    await rename();
    expect(view.sent(MOVE)).toEqual([]);
  });

  test('that fails for another reason stays open with it, and offers no replacing', async () => {
    const { view, onClose, type, rename } = await open('a.txt', [], true);
    await type('b.txt');
    await rename();
    expect(view.get('alert').textContent).toContain('The storage is down.');
    expect(view.find('button', REPLACE)).toBeUndefined();
    expect(onClose).not.toHaveBeenCalled();
  });
});

describe('a path that is taken', () => {
  test('is replaced only after a second question', async () => {
    const { view, onClose, type, rename } = await open('a.txt', ['b.txt']);
    await type('b.txt');
    await rename();
    expect(view.get('alert').textContent).toContain('b.txt exists already.');
    expect(onClose).not.toHaveBeenCalled();
    await view.click(view.get('button', REPLACE));
    expect(view.sent(MOVE)).toMatchObject([
      { to: 'b.txt', overwrite: false },
      { to: 'b.txt', overwrite: true },
    ]);
    expect(onClose).toHaveBeenCalledOnce();
  });

  // Fails when the question for one path answers for another one: a file that nobody was asked about would be lost.
  test('may not be replaced once another path was typed', async () => {
    const { view, type, rename } = await open('a.txt', ['b.txt', 'c.txt']);
    await type('b.txt');
    await rename();
    await type('c.txt');
    expect(view.find('button', REPLACE)).toBeUndefined();
    await rename();
    expect(view.sent(MOVE)).toMatchObject([
      { to: 'b.txt', overwrite: false },
      { to: 'c.txt', overwrite: false },
    ]);
    expect(view.find('button', REPLACE)).toBeDefined();
  });
});
