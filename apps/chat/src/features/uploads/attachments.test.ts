import { expect, it, vi } from 'vitest';
import { createPutFile, FileTooLarge } from '../../api/put-file.ts';
import { createStorage } from '../../testing/create-storage.ts';
import { type AttachmentsOptions, createAttachments } from './attachments.ts';

function open(typeOf: AttachmentsOptions['typeOf'], storage = createStorage()) {
  let count = 0;
  return createAttachments({
    put: createPutFile({
      ...{ session: { token: async () => undefined, renew: async () => false }, teamId: undefined },
      maxBytes: 1024 * 1024,
    }),
    createId: () => `id-${++count}`,
    typeOf,
    storage,
    storageKey: 'attached',
  });
}

const MENU = { name: 'menu.txt', path: 'kitchen/menu.txt', size: 5 };

it('attaches a file that is there, once, with its type', async () => {
  const uploads = open(async () => 'text/plain');
  uploads.attach(MENU);
  await vi.waitFor(() => expect(uploads.state.get()[0]?.attachment).toBeDefined());
  uploads.attach(MENU);
  expect(await uploads.take()).toEqual([{ ...MENU, type: 'text/plain', url: '/files/kitchen/menu.txt' }]);
  expect(uploads.state.get()).toEqual([]);
});

it('keeps what could not be attached with the reason, and tries again when asked', async () => {
  const types = [Promise.reject(new Error('gone')), Promise.resolve('text/plain')];
  const uploads = open(() => types.shift() as Promise<string>);
  uploads.attach(MENU);
  expect(await uploads.take()).toEqual([]);
  expect(uploads.state.get()).toMatchObject([{ error: new Error('gone') }]);
  uploads.retry('id-1');
  expect(uploads.state.get()[0]?.error).toBeUndefined();
  expect(await uploads.take()).toMatchObject([{ path: MENU.path }]);
});

it('says of a file that it is too large, and lets it be taken away', async () => {
  const uploads = open(async () => '');
  uploads.add([new File(['x'.repeat(1024 * 1024 + 1)], 'film.mp4')]);
  const isRefused = () => expect(uploads.state.get()[0]).toMatchObject({ name: 'film.mp4', error: new FileTooLarge() });
  await vi.waitFor(isRefused);
  uploads.retry('id-1');
  await vi.waitFor(isRefused);
  uploads.remove('id-1');
  expect(uploads.state.get()).toEqual([]);
});

it('has the files that are there after a reload, until they are sent', async () => {
  const storage = createStorage();
  const uploads = open(async () => 'text/plain', storage);
  uploads.attach(MENU);
  await vi.waitFor(() => expect(uploads.state.get()[0]?.attachment).toBeDefined());
  const after = open(async () => '', storage);
  expect(await after.take()).toMatchObject([{ path: MENU.path }]);
  expect(open(async () => '', storage).state.get()).toEqual([]);
});
