import { expect, test } from 'vitest';
import { createUploadJournal } from './upload-journal.ts';
import { walkNodes, walkPicked } from './walk-nodes.ts';

/** Returns a fake session storage. */
function createStorage(values: Record<string, string> = {}) {
  return {
    values,
    getItem: (key: string) => values[key] ?? null,
    setItem(key: string, value: string) {
      values[key] = value;
    },
    removeItem(key: string) {
      delete values[key];
    },
  };
}

const UPLOAD = { volume: 'data', folder: 'photos/', names: ['a.jpg'] };

test('uploads in progress survive a reload and are removed when complete', () => {
  const storage = createStorage();
  createUploadJournal(storage).write([UPLOAD]);
  expect(createUploadJournal(storage).read()).toEqual([UPLOAD]);
  createUploadJournal(storage).write([]);
  expect([createUploadJournal(storage).read(), storage.values]).toEqual([[], {}]);
});

// Fails when all names are kept: a drop of 100,000 files fills the tab's storage.
test('keeps only some names of a large drop', () => {
  const journal = createUploadJournal(createStorage());
  journal.write([{ ...UPLOAD, names: Array.from({ length: 1_000 }, (_, index) => `${index}.jpg`) }]);
  expect(journal.read()[0]?.names).toHaveLength(20);
});

test('a corrupt journal reads as empty', () => {
  for (const damaged of ['[{', '{"volume":"data"}', 'null', '7']) {
    expect(createUploadJournal(createStorage({ 'berth:uploads': damaged })).read()).toEqual([]);
  }
});

test('dropped files keep their folders', async () => {
  const file = (name: string) => ({ kind: 'file', name, open: async () => new Blob([name]) }) as const;
  const tree = {
    kind: 'folder',
    name: 'site',
    children: async () => [
      file('index.html'),
      { kind: 'folder', name: 'img', children: async () => [file('a b.png')] } as const,
    ],
  } as const;
  const found = await Array.fromAsync(walkNodes([tree, file('top.txt')], 'data', 'in/'));
  expect(found.map(({ object }) => object)).toEqual(['in/site/index.html', 'in/site/img/a b.png', 'in/top.txt']);
  const opened = await found[1]?.open();
  expect([opened?.name, await opened?.text()]).toEqual(['a b.png', 'a b.png']);
});

test('chosen files keep their relative paths', async () => {
  const alone = new File(['x'], 'one.txt');
  const inFolder = Object.defineProperty(new File(['x'], 'two.txt'), 'webkitRelativePath', { value: 'docs/two.txt' });
  const found = await Array.fromAsync(walkPicked([alone, inFolder], 'data', ''));
  expect(found.map(({ object }) => object)).toEqual(['one.txt', 'docs/two.txt']);
});
