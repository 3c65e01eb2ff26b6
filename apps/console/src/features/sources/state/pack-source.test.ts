import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { expect, test } from 'vitest';
import { collectSource } from './collect-source.ts';
import { packSource } from './pack-source.ts';
import { readDrop, readPicked } from './read-drop.ts';
import { readProjectFile } from './read-project-file.ts';
import { nameOfSource } from './source-name.ts';
import type { SourceFolder, SourceNode } from './source-node.ts';

interface Tree {
  readonly [name: string]: string | Uint8Array<ArrayBuffer> | Tree;
}

function folderOf(name: string, tree: Tree): SourceFolder {
  const children = Object.entries(tree).map(
    ([child, content]): SourceNode =>
      typeof content === 'string' || content instanceof Uint8Array
        ? { kind: 'file', name: child, open: async () => new Blob([content]) }
        : folderOf(child, content),
  );
  return { kind: 'folder', name, children: async () => children };
}

const formatBytes = (bytes: number) => `${bytes} B`;

async function unpack(archive: Blob) {
  return unpackTar(new Uint8Array(gunzipSync(new Uint8Array(await archive.arrayBuffer()))));
}

test('packs a folder by its ignore files, like the CLI', async () => {
  const long = `${'deep-'.repeat(30)}ñame.txt`;
  const root = folderOf('My App', {
    '.berthignore': 'data/\n!data/keep.txt\n*.log\n',
    '.git': { config: 'no' },
    '.DS_Store': 'no',
    node_modules: { 'a.js': 'no' },
    venv: { 'pyvenv.cfg': 'no', bin: { python: 'no' } },
    data: { 'keep.txt': 'git looks for nothing in a folder that is left out' },
    'app.log': 'no',
    'run.sh': '#!/bin/sh\n',
    'server.js': 'listen()',
    src: { '.gitignore': 'dist\n', dist: { 'x.js': 'no' }, [long]: 'سلام', empty: {} },
    '.env': 'KEY=1',
  });
  const entries = await collectSource(root);
  const seen: number[] = [];
  const packed = await packSource(entries, { formatBytes, onProgress: (read) => seen.push(read) });
  const found = await unpack(packed.archive);
  expect(found.map(({ header }) => [header.name, header.mode])).toEqual([
    ['.berthignore', 0o644],
    ['.env', 0o644],
    ['run.sh', 0o755],
    ['server.js', 0o644],
    ['src/', 0o755],
    ['src/.gitignore', 0o644],
    [`src/${long}`, 0o644],
    ['src/empty/', 0o755],
  ]);
  expect(new TextDecoder().decode(found[6]?.data)).toBe('سلام');
  expect(packed).toMatchObject({ files: 6, secretFiles: ['.env'] });
  expect(seen.at(-1)).toBe(packed.unpackedBytes);
});

test('reports an empty or oversized source before the upload, and packing can be canceled', async () => {
  const noise = crypto.getRandomValues(new Uint8Array(50_000));
  const entries = await collectSource(folderOf('big', { 'a.txt': 'a', raw: { 'dump.bin': noise } }));
  await expect(packSource(entries, { formatBytes, limitBytes: 10_000 })).rejects.toThrow(
    /over 10000 B.*raw\/dump\.bin \(50000 B\).*\.berthignore/,
  );
  await expect(packSource(entries, { formatBytes, limitBytes: 60_000 })).resolves.toMatchObject({ files: 2 });
  await expect(packSource([], { formatBytes })).rejects.toThrow('nothing to deploy');
  const stop = new AbortController();
  const stopped = packSource(entries, { formatBytes, signal: stop.signal, onProgress: () => stop.abort() });
  await expect(stopped).rejects.toThrow('aborted');
});

test('a drop is a folder, an archive, or several items', async () => {
  const file = (name: string) => ({
    isDirectory: false,
    name,
    file: (done: (file: File) => void) => done(new File(['x'], name)),
  });
  const archive = await readDrop([file('app.tgz')]);
  expect(archive).toMatchObject({ kind: 'archive', name: 'app.tgz' });
  const several = await readDrop([file('index.html'), file('style.css')]);
  if (several.kind !== 'folder') throw new Error('not a folder');
  expect((await collectSource(several.folder)).map(({ path }) => path)).toEqual(['index.html', 'style.css']);
  // A folder is read in batches, the last of which is empty.
  const batches = [[file('a')], [file('b')], []];
  const createReader = () => ({ readEntries: (done: (entries: unknown[]) => void) => done(batches.shift() ?? []) });
  const folder = await readDrop([{ isDirectory: true, name: 'app', createReader } as never]);
  if (folder.kind !== 'folder') throw new Error('not a folder');
  expect((await collectSource(folder.folder)).map(({ path }) => path)).toEqual(['a', 'b']);
  await expect(readDrop([file('app.zip')])).rejects.toThrow('source.otherArchive');
  await expect(readDrop([])).rejects.toMatchObject({ key: 'source.none' });
});

test('rebuilds a chosen folder from the paths of its files', async () => {
  const file = (path: string) =>
    Object.defineProperty(new File(['x'], path.split('/').at(-1) as string), 'webkitRelativePath', { value: path });
  const source = await readPicked([file('app/src/main.ts'), file('app/package.json'), file('app/src/__proto__')]);
  if (source.kind !== 'folder') throw new Error('not a folder');
  expect(source.folder.name).toBe('app');
  const paths = (await collectSource(source.folder)).map(({ path }) => path);
  expect(paths).toEqual(['package.json', 'src', 'src/__proto__', 'src/main.ts']);
});

test('a deployment is named after its package, otherwise after the dropped item', async () => {
  const named = async (name: string, manifest: string) =>
    nameOfSource(name, await collectSource(folderOf(name, { 'package.json': manifest })));
  expect(await named('Folder', '{"name":"@me/My-App"}')).toBe('my-app');
  expect(await named('Some Folder', 'not json')).toBe('some-folder');
  expect(await nameOfSource('site.tar.gz', [])).toBe('site');
  expect(await nameOfSource('日本', [])).toBe('');
});

test('reads the berth.json of a folder, and rejects an invalid one', async () => {
  const read = async (text: string) => readProjectFile(await collectSource(folderOf('site', { 'berth.json': text })));
  expect(await read('{"name":"shop","memory":"2Gi","start":"x","required_env":["KEY"]}')).toEqual({
    name: 'shop',
    settings: { memory: '2Gi' },
    requiredEnv: ['KEY'],
  });
  await expect(read('{"memroy":"2Gi"}')).rejects.toThrow('memroy');
  expect(await readProjectFile([])).toEqual({ settings: {}, requiredEnv: [] });
});
