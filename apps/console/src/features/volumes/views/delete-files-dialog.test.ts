// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { openView } from '../../../testing/open-view.ts';
import { DeleteFilesDialog } from './delete-files-dialog.tsx';

const DELETE = 'POST /v1/volume/delete-object';

/** Opens the dialog over a volume that has `objects`. `refused` are paths that can't be deleted for now. */
async function open(paths: readonly string[], objects: readonly string[], refused = new Set<string>()) {
  const left = new Set(objects);
  const onDeleted = vi.fn();
  const onClose = vi.fn();
  const view = await openView(createElement(DeleteFilesDialog, { volume: 'media', paths, onDeleted, onClose }), {
    cached: [[QUERY_KEYS.folder('media', '', ''), {}]],
    answers: {
      [DELETE]({ body: { path } }) {
        if (refused.has(String(path))) throw createError('unavailable', `${path} is busy.`);
        if (!left.delete(String(path))) throw createError('not_found', `No object ${path}.`);
        return {};
      },
      'GET /v1/volume/objects': ({ query }) => ({
        objects: [...left].filter((path) => path.startsWith(String(query['prefix']))).map((path) => ({ path })),
      }),
    },
  });
  const confirm = () => view.click(view.get('button', 'Delete'));
  const isStale = () => view.queries.getQueryState(QUERY_KEYS.folder('media', '', ''))?.isInvalidated;
  return { view, left, onDeleted, onClose, confirm, isStale, refused };
}

describe('deleting files', () => {
  // Fails when more than the selected ones are deleted, or the listing keeps them.
  test('deletes those that were selected, and no others', async () => {
    const { view, left, onDeleted, confirm, isStale } = await open(['a', 'b'], ['a', 'b', 'ab']);
    await confirm();
    expect([...left]).toEqual(['ab']);
    expect(onDeleted).toHaveBeenCalledOnce();
    expect(isStale()).toBe(true);
    expect(view.sent(DELETE)).toHaveLength(2);
  });

  test('deletes nothing before it is confirmed', async () => {
    const { view, left, onClose } = await open(['a'], ['a']);
    await view.click(view.get('button', 'Cancel'));
    expect([...left]).toEqual(['a']);
    expect(onClose).toHaveBeenCalledOnce();
  });

  // Fails when a second attempt stops at a file that the first one deleted: the rest could never be deleted.
  test('can go on after one of them was refused', async () => {
    const { view, left, onDeleted, confirm, isStale, refused } = await open(
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      new Set(['b']),
    );
    await confirm();
    expect(view.get('alert').textContent).toContain('b is busy.');
    expect([[...left], onDeleted.mock.calls.length, isStale()]).toEqual([['b', 'c'], 0, true]);
    refused.clear();
    await confirm();
    expect(view.find('alert')).toBeUndefined();
    expect([...left]).toEqual([]);
    expect(onDeleted).toHaveBeenCalledOnce();
  });

  test('takes a file that somebody else has deleted as deleted', async () => {
    const { left, onDeleted, confirm } = await open(['gone', 'b'], ['b']);
    await confirm();
    expect([...left]).toEqual([]);
    expect(onDeleted).toHaveBeenCalledOnce();
  });
});

describe('deleting a folder', () => {
  // Fails when one click is enough for everything in it.
  test('needs its name, and deletes what is in it alone', async () => {
    const { view, left, confirm } = await open(['2026/'], ['2026/a', '2026/b/c', '2026.txt']);
    await confirm();
    expect(left.size).toBe(3);
    await view.fill(view.field('Type 2026 to confirm'), '2026');
    await confirm();
    expect([...left]).toEqual(['2026.txt']);
  });

  // Fails when deletions go on behind a dialog that was closed.
  test('ends when the dialog goes', async () => {
    const asked: unknown[] = [];
    const signals: (AbortSignal | undefined)[] = [];
    const about = { volume: 'media', paths: ['a', 'b'], onDeleted() {}, onClose() {} };
    const view = await openView(createElement(DeleteFilesDialog, about), {
      answers: {
        [DELETE]({ body, signal }) {
          asked.push(body['path']);
          signals.push(signal);
          return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        },
      },
    });
    await view.click(view.get('button', 'Delete'));
    await view.render(null);
    expect([asked, signals[0]?.aborted]).toEqual([['a'], true]);
  });
});
