import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { deleteFolder } from './delete-folder.ts';

/** Returns a volume listed `perPage` objects at a time, in which deleting the objects in `failures` fails. */
function setup(paths: readonly string[], failures: Readonly<Record<string, BerthError>> = {}, perPage = 2) {
  const left = new Set(paths);
  let running = 0;
  let most = 0;
  const client = createFakeCalls<ControlPaths>({
    'GET /v1/volume/objects': ({ query: { prefix, page_token: pageToken } }) => {
      const from = Number(pageToken ?? 0);
      const found = paths.filter((path) => path.startsWith(String(prefix)));
      const next = from + perPage;
      return {
        objects: found.slice(from, next).map((path) => ({ path })),
        next_page_token: next < found.length ? String(next) : null,
      };
    },
    'POST /v1/volume/delete-object': async ({ body }) => {
      const path = String(body['path']);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      if (failures[path]) throw failures[path];
      left.delete(path);
      return { detail: 'Deleted.' };
    },
  });
  const told: number[] = [];
  return {
    left,
    told,
    most: () => most,
    run: (signal = new AbortController().signal) =>
      deleteFolder({ client, volume: 'data', folder: 'a/', signal, onDeleted: (count) => void told.push(count) }),
  };
}

const failure = (code: string, status: number) => new BerthError({ code, status, message: code });

// Fails when only the first page is read, or when the prefix isn't the whole folder.
test('deletes all objects of a folder, page by page, and no others', async () => {
  const { run, left, told } = setup(['a/1', 'a/2', 'a/b/3', 'a.txt', 'ab/4', 'a/5', 'a/6']);
  expect(await run()).toBe(5);
  expect([...left]).toEqual(['a.txt', 'ab/4']);
  expect(told).toEqual([1, 2, 3, 4, 5]);
});

test('deletes six objects at a time', async () => {
  const { run, most } = setup(
    Array.from({ length: 30 }, (_, index) => `a/${index}`),
    {},
    30,
  );
  await run();
  expect(most()).toBe(6);
});

test('ignores objects that were deleted meanwhile, and fails on other errors', async () => {
  expect(await setup(['a/1', 'a/2'], { 'a/1': failure('not_found', 404) }).run()).toBe(2);
  await expect(setup(['a/1', 'a/2'], { 'a/2': failure('forbidden', 403) }).run()).rejects.toThrow('forbidden');
});

test('stops when aborted', async () => {
  const { run, left } = setup(['a/1', 'a/2']);
  await expect(run(AbortSignal.abort(new Error('called off')))).rejects.toThrow('called off');
  expect([...left]).toEqual(['a/1', 'a/2']);
});
