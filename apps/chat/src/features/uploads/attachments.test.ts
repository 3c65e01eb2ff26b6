import { expect, it, vi } from 'vitest';
import { createPutFile, type FilePut, FileTooLarge } from '../../api/put-file.ts';
import { createStorage } from '../../testing/create-storage.ts';
import { type Attachments, type AttachmentsOptions, createAttachments } from './attachments.ts';

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

/** Takes the files once none is on its way. */
async function takeAll(uploads: Attachments) {
  await uploads.settled();
  return uploads.take();
}

const MENU = { name: 'menu.txt', path: 'kitchen/menu.txt', size: 5 };

it('attaches a file that is there, once, with its type', async () => {
  const uploads = open(async () => 'text/plain');
  uploads.attach(MENU);
  await vi.waitFor(() => expect(uploads.state.get()[0]?.attachment).toBeDefined());
  uploads.attach(MENU);
  expect(await takeAll(uploads)).toEqual([{ ...MENU, type: 'text/plain', url: '/files/kitchen/menu.txt' }]);
  expect(uploads.state.get()).toEqual([]);
});

it('keeps what could not be attached with the reason, and tries again when asked', async () => {
  const types = [Promise.reject(new Error('gone')), Promise.resolve('text/plain')];
  const uploads = open(() => types.shift() as Promise<string>);
  uploads.attach(MENU);
  expect(await takeAll(uploads)).toEqual([]);
  expect(uploads.state.get()).toMatchObject([{ error: new Error('gone') }]);
  uploads.retry('id-1');
  expect(uploads.state.get()[0]?.error).toBeUndefined();
  expect(await takeAll(uploads)).toMatchObject([{ path: MENU.path }]);
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
  expect(await takeAll(after)).toMatchObject([{ path: MENU.path }]);
  expect(open(async () => '', storage).state.get()).toEqual([]);
});

/** Attachments whose files arrive when the test says so. */
function openPending(storage = createStorage()) {
  const puts: { readonly put: FilePut; done(): void; fail(error: Error): void }[] = [];
  let count = 0;
  const uploads = createAttachments({
    put: (put) => new Promise((done, fail) => puts.push({ put, done, fail })),
    createId: () => `0123-4567-${++count}`,
    typeOf: async () => '',
    storage,
    storageKey: 'attached',
  });
  return { uploads, puts };
}

it('puts a file where no other can be, and attaches it', async () => {
  const { uploads, puts } = openPending();
  uploads.add([new File(['hello'], 'a/b.txt', { type: 'text/plain' }), new File(['x'], 'noise')]);
  puts[0]?.done();
  puts[1]?.done();
  expect(await takeAll(uploads)).toEqual([
    {
      ...{ name: 'a/b.txt', size: 5, type: 'text/plain' },
      ...{ url: '/files/attachments/01234567-a_b.txt', path: 'attachments/01234567-a_b.txt' },
    },
    {
      ...{ name: 'noise', size: 1, type: 'application/octet-stream' },
      ...{ url: '/files/attachments/01234567-noise', path: 'attachments/01234567-noise' },
    },
  ]);
});

// Fails when a message goes out without a file that is still on its way.
it('waits for the files that are on their way, and leaves what failed', async () => {
  const { uploads, puts } = openPending();
  uploads.add([new File(['a'], 'a'), new File(['b'], 'b')]);
  let isTaken = false;
  const taken = takeAll(uploads).finally(() => {
    isTaken = true;
  });
  puts[0]?.done();
  await vi.waitFor(() => expect(uploads.state.get()[0]?.attachment).toBeDefined());
  expect(isTaken).toBe(false);
  puts[1]?.fail(new Error('no room'));
  expect(await taken).toMatchObject([{ name: 'a' }]);
  expect(uploads.state.get()).toMatchObject([{ name: 'b', error: new Error('no room') }]);
});

it('shows how far each file is, and forgets one that is removed', () => {
  const { uploads, puts } = openPending();
  uploads.add([new File(['a'], 'a'), new File(['b'], 'b')]);
  puts[1]?.put.onProgress(0.5);
  expect(uploads.state.get().map(({ progress }) => progress)).toEqual([0, 0.5]);
  uploads.remove(uploads.state.get()[1]?.id as string);
  expect(puts[1]?.put.signal.aborted).toBe(true);
  expect(uploads.state.get()).toMatchObject([{ name: 'a' }]);
});

/** The storage of a tab, which is full from the second file on. */
function smallStorage() {
  const storage = createStorage();
  const setItem = (key: string, value: string) => {
    if (value.includes('second')) throw new DOMException('full', 'QuotaExceededError');
    storage.setItem(key, value);
  };
  return { ...storage, setItem };
}

// Fails when a QuotaExceededError escapes: the upload would neither succeed nor fail, and no message would go.
it('attaches files that a full storage can’t keep', async () => {
  const { uploads, puts } = openPending(smallStorage());
  uploads.add([new File(['a'], 'first'), new File(['b'], 'second')]);
  for (const { done } of puts) done();
  expect(await takeAll(uploads)).toMatchObject([{ name: 'first' }, { name: 'second' }]);
});

// Fails when the list of before stays in a storage that has no room for the new one: a file that was sent would come back.
it('keeps no outdated list in a full storage', async () => {
  const storage = smallStorage();
  const { uploads, puts } = openPending(storage);
  uploads.add([new File(['a'], 'first')]);
  puts[0]?.done();
  await uploads.settled();
  uploads.add([new File(['b'], 'second')]);
  puts[1]?.done();
  await uploads.settled();
  expect(openPending(storage).uploads.state.get()).toEqual([]);
});

it('begins with no files where the kept list is damaged', () => {
  const storage = createStorage();
  storage.setItem('attached', '[{"id":');
  expect(openPending(storage).uploads.state.get()).toEqual([]);
});
