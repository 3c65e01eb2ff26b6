import { expect, it } from 'vitest';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { createTrash } from './trash.ts';

it('restores, deletes for good, and empties', async () => {
  let items = [{ id: 'a/1' }, { id: 'b' }, { id: 'c' }];
  const { api } = createFakeApi({
    'GET /trash': () => items,
    'POST /trash/a%2F1/restore': () => ({ path: 'a (2)' }),
    'DELETE /trash/b': () => ({}),
    'DELETE /trash': () => {
      items = [];
    },
  });
  const trash = createTrash(api);
  await trash.refresh();
  expect(await trash.restore('a/1')).toBe('a (2)');
  await trash.remove('b');
  expect(trash.state.get().items).toEqual([{ id: 'c' }]);
  await expect(trash.remove('gone')).rejects.toMatchObject({ status: 404 });
  expect(trash.state.get().items).toEqual([{ id: 'c' }]);
  await trash.empty();
  expect(trash.state.get().items).toEqual([]);
});

it('says why it could not be read, and is well after the next reading', async () => {
  let isAway = true;
  const { api } = createFakeApi({
    'GET /trash': () => {
      if (isAway) throw new Error('not now');
      return [{ id: 'a' }];
    },
  });
  const trash = createTrash(api);
  expect(trash.state.get()).toEqual({ items: undefined, problem: undefined });
  await trash.refresh();
  expect(trash.state.get()).toEqual({ items: undefined, problem: 'not now' });
  isAway = false;
  await trash.refresh();
  expect(trash.state.get()).toEqual({ items: [{ id: 'a' }], problem: undefined });
});

// Fails when an item leaves the list before the server has restored it.
it('keeps what could not be restored or emptied', async () => {
  const { api } = createFakeApi({ 'GET /trash': () => [{ id: 'a' }] });
  const trash = createTrash(api);
  await trash.refresh();
  await expect(trash.restore('a')).rejects.toMatchObject({ status: 404 });
  await expect(trash.empty()).rejects.toMatchObject({ status: 404 });
  expect(trash.state.get().items).toEqual([{ id: 'a' }]);
});
