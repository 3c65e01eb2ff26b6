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
