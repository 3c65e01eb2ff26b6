import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { describe, expect, test } from 'vitest';
import { type CollectedEntry, collectSource } from './collect-source.ts';
import { packSource } from './pack-source.ts';
import { readDrop, readPicked, toSourceNode } from './read-drop.ts';
import { nameOfSource } from './source-name.ts';
import type { SourceNode } from './source-node.ts';
import { SourceRefusal } from './source-refusal.ts';

const formatBytes = (bytes: number) => `${bytes} B`;
const fileOf = (path: string, content: string | Uint8Array<ArrayBuffer> = 'x'): CollectedEntry => ({
  ...{ kind: 'file', path, blob: new Blob([content]) },
});
/** Returns a file as a dialog gives it; only the files of a chosen folder have a relative path. */
const picked = (name: string) => Object.defineProperty(new File(['x'], name), 'webkitRelativePath', { value: '' });
const dropped = (name: string) => ({
  ...{ isDirectory: false, name },
  file: (done: (file: File) => void) => done(new File(['x'], name)),
});

describe('packing', () => {
  // Fails when a program loses its mode, which browsers don't tell, or a text gains one.
  test('marks scripts and ELF files as programs, and nothing else', async () => {
    const elf = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 1]);
    const entries = [
      fileOf('run', '#!/bin/sh\n'),
      fileOf('program', elf),
      fileOf('short', '#'),
      fileOf('empty', ''),
      fileOf('text', 'x#!'),
    ];
    const { archive } = await packSource(entries, { formatBytes });
    const found = await unpackTar(new Uint8Array(gunzipSync(new Uint8Array(await archive.arrayBuffer()))));
    expect(found.map(({ header: { name, mode } }) => [name, mode === 0o755])).toEqual([
      ['run', true],
      ['program', true],
      ['short', false],
      ['empty', false],
      ['text', false],
    ]);
    // The same files give the same archive, whoever packs them and when.
    expect(new Set(found.map(({ header: { mtime } }) => Number(mtime))).size).toBe(1);
    expect(found.every(({ header: { uid, gid, uname } }) => uid === 0 && gid === 0 && !uname)).toBe(true);
  });

  // Fails when a file that vanishes while it is read gives an archive that looks whole.
  test('fails when a file can’t be read', async () => {
    const gone = { ...fileOf('gone'), blob: Object.assign(new Blob(['x']), { stream: unreadable }) } as CollectedEntry;
    await expect(packSource([fileOf('a'), gone], { formatBytes })).rejects.toThrow('The file is gone.');
  });

  // Fails when a folder of folders counts as something to deploy.
  test('refuses a source without files', async () => {
    await expect(packSource([{ kind: 'folder', path: 'a' }], { formatBytes })).rejects.toMatchObject({
      code: 'archive_invalid',
    });
  });

  test('lists the files that hold secrets', async () => {
    const entries = ['.env', 'a/.env.local', '.env.example', 'env.js'].map((path) => fileOf(path));
    expect((await packSource(entries, { formatBytes })).secretFiles).toEqual(['.env', 'a/.env.local']);
  });
});

function unreadable(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new Error('The file is gone.')) });
}

describe('a choice', () => {
  // Fails when an archive that the platform can't read is sent anyway.
  test.each(['app.zip', 'app.tar', 'app.tar.xz', 'APP.7Z'])('of %s is refused with what to do', async (name) => {
    await expect(readPicked([picked(name)])).rejects.toMatchObject({ key: 'source.otherArchive', values: { name } });
    await expect(readDrop([dropped(name)])).rejects.toBeInstanceOf(SourceRefusal);
  });

  test.each(['app.tar.gz', 'APP.TGZ'])('of %s is that archive', async (name) => {
    expect(await readPicked([picked(name)])).toMatchObject({ kind: 'archive', name });
  });

  // Fails when one file is taken for an archive.
  test('of a file is a folder with that file', async () => {
    const source = await readPicked([picked('index.html')]);
    if (source.kind !== 'folder') throw new Error('not a folder');
    expect((await collectSource(source.folder)).map(({ path }) => path)).toEqual(['index.html']);
  });

  // Fails when a file that no deploy recognizes is packed and sent, to fail in its build.
  test.each(['notes.txt', 'about.html', 'صورة.png'])('of %s alone is refused', async (name) => {
    const refusal = { key: 'source.singleFile', values: { name } };
    await expect(readPicked([picked(name)])).rejects.toMatchObject(refusal);
    await expect(readDrop([dropped(name)])).rejects.toMatchObject(refusal);
  });

  test('of nothing is refused', async () => {
    await expect(readPicked([])).rejects.toMatchObject({ key: 'source.none' });
    await expect(readDrop([])).rejects.toMatchObject({ key: 'source.none' });
  });

  // Fails when the rest of a batch is lost after a file that can't be read.
  test('passes on what the browser says of a file', async () => {
    const broken = {
      ...dropped('a'),
      file: (_: unknown, fail: (error: Error) => void) => fail(new Error('No permission.')),
    };
    const node = toSourceNode(broken);
    if (node.kind !== 'file') throw new Error('not a file');
    await expect(node.open()).rejects.toThrow('No permission.');
  });
});

describe('collecting', () => {
  const nodeOf = (name: string, inside?: readonly SourceNode[]): SourceNode =>
    inside
      ? { kind: 'folder', name, children: async () => inside }
      : { kind: 'file', name, open: async () => new Blob(['x']) };

  // Fails when a virtual environment under another name is uploaded.
  test('leaves out virtual environments, whatever they are called', async () => {
    const folder = nodeOf('app', [nodeOf('my-env', [nodeOf('pyvenv.cfg'), nodeOf('lib', [])]), nodeOf('main.py')]);
    const entries = await collectSource(folder as never);
    expect(entries.map(({ path }) => path)).toEqual(['main.py']);
  });

  // Fails when a large folder is read to its end after the dialog was closed.
  test('ends when it is canceled', async () => {
    const stop = new AbortController();
    const opened: string[] = [];
    const children = ['a', 'b', 'c'].map(
      (name): SourceNode => ({
        ...{ kind: 'file', name },
        async open() {
          opened.push(name);
          stop.abort(new Error('closed'));
          return new Blob(['x']);
        },
      }),
    );
    const folder = { kind: 'folder', name: 'app', children: async () => children } as const;
    await expect(collectSource(folder, stop.signal)).rejects.toThrow('closed');
    expect(opened).toEqual(['a']);
  });
});

// Fails when a manifest without a name hides that of the folder.
test.each([
  ['{}', 'my-site'],
  ['{"name":7}', 'my-site'],
  ['{"name":"@acme/Shop_API"}', 'shop-api'],
  ['[', 'my-site'],
])('a source whose package.json is %s is called %s', async (manifest, name) => {
  expect(await nameOfSource('My Site', [fileOf('package.json', manifest)])).toBe(name);
});
