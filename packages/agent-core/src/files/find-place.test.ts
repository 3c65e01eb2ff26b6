import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type OpenFolder, openFolder } from '@berth/kit/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileKind, mediaType } from './file-kind.ts';
import { findPlace, makeFolder, makePlace } from './find-place.ts';
import { openFile } from './open-file.ts';
import { parseWorkspacePath, ROOT } from './workspace-path.ts';

const NFC = 'caf\u00e9';
const NFD = 'cafe\u0301';

/** A workspace, and a file outside of it. */
async function open() {
  const outer = mkdtempSync(join(tmpdir(), 'berth-places-'));
  const folder = join(outer, 'workspace');
  mkdirSync(folder);
  writeFileSync(join(outer, 'secret'), 'secret');
  const root = (await openFolder(folder)) as OpenFolder;
  onTestFinished(async () => {
    await root[Symbol.asyncDispose]();
    rmSync(outer, { recursive: true });
  });
  const read = async (path: string) => {
    const parsed = parseWorkspacePath(path);
    await using place = await findPlace(root, parsed);
    if (!place) return undefined;
    await using file = await openFile(place, parsed);
    return file && (await text(file.read()));
  };
  return { outer, folder, root, read };
}

describe('a place', () => {
  // Fails when a link is followed, on the way or at the end: a tool could show any file of the machine.
  test('is never behind a link', async () => {
    const { outer, folder, root, read } = await open();
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'a'), 'inside');
    for (const [name, target] of [
      ['up', outer],
      ['file', join(outer, 'secret')],
      ['own', 'real'],
    ] as const) {
      symlinkSync(target, join(folder, name));
    }
    for (const path of ['up', 'up/secret', 'file', 'own', 'own/a']) {
      expect([path, await read(path)]).toEqual([path, undefined]);
    }
    expect(await read('real/a')).toBe('inside');
    expect(await findPlace(root, parseWorkspacePath('file'))).toBeUndefined();
    // A link that takes the place of a file after it was found is not followed either.
    expect(await openFile({ folder: root, name: 'file' }, parseWorkspacePath('file'))).toBeUndefined();
    await expect(makeFolder(root, parseWorkspacePath('own/new'))).rejects.toMatchObject({ code: 'conflict' });
    await expect(makePlace(root, parseWorkspacePath('up/new'))).rejects.toMatchObject({ code: 'conflict' });
    expect([readdirSync(outer).sort(), readdirSync(join(folder, 'real'))]).toEqual([['secret', 'workspace'], ['a']]);
  });

  // Fails when names are compared byte by byte: what a Mac or a tool wrote could be seen in the list and not be opened.
  test('is found in the spelling of the disk, folders and files alike', async () => {
    const { folder, root, read } = await open();
    mkdirSync(join(folder, NFD));
    writeFileSync(join(folder, NFD, `${NFD}.txt`), 'found');
    expect(await read(`${NFC}/${NFC}.txt`)).toBe('found');
    // A new file goes into the folder that is there, and a file that is there is not written beside.
    await using fresh = await makePlace(root, parseWorkspacePath(`${NFC}/new`));
    writeFileSync(fresh.folder.at(fresh.name), 'x');
    await using known = await makePlace(root, parseWorkspacePath(`${NFC}/${NFC}.txt`));
    expect(known.name).toBe(`${NFD}.txt`);
    expect([readdirSync(folder), readdirSync(join(folder, NFD)).sort()]).toEqual([[NFD], [`${NFD}.txt`, 'new']]);
  });

  // Fails when a FIFO or a device is taken for a file: opening it waits for ever.
  test('is a file or a folder, nothing else', async () => {
    const { folder, root, read } = await open();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    mkdirSync(join(folder, 'folder'));
    expect([await read('pipe'), await read('folder'), await read('missing'), await read('folder/missing')]).toEqual([
      ...[undefined, undefined, undefined, undefined],
    ]);
    await using top = await findPlace(root, ROOT);
    expect(top?.stats.isDirectory()).toBe(true);
    writeFileSync(join(folder, 'plain'), 'x');
    expect(await read('plain/below')).toBeUndefined();
    await expect(makeFolder(root, parseWorkspacePath('plain/below'))).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an open file', () => {
  // Fails when a range is off by one, an empty file is read from the machine, or the tag stays over a change.
  test('is read whole or in part, and has a tag of its version', async () => {
    const { folder, root } = await open();
    const path = parseWorkspacePath('notes.md');
    const openNow = async () => {
      await using place = await findPlace(root, path);
      return place && (await openFile(place, path));
    };
    writeFileSync(join(folder, 'notes.md'), '0123456789');
    await using first = await openNow();
    expect(first?.entry).toMatchObject({ name: 'notes.md', path: 'notes.md', type: 'file', size: 10, kind: 'text' });
    expect(first && (await text(first.read({ first: 2, last: 4 })))).toBe('234');
    expect(first && (await text(first.read()))).toBe('0123456789');
    writeFileSync(join(folder, 'notes.md'), '');
    await using second = await openNow();
    expect(second?.etag).not.toBe(first?.etag);
    expect(second && (await text(second.read()))).toBe('');
    const third = await openNow();
    expect(third && (await text(third.readAndClose()))).toBe('');
  });
});

// Fails when the case of an extension counts, or a page of a person's own would be served as a program of the agent's page.
test('what a file is comes from its extension, and only text gets a charset', () => {
  expect(['a.PNG', 'a.tar.gz', 'b.py', 'README', '.gitignore', 'a.', 'a.toString'].map(fileKind)).toEqual([
    ...['image', 'archive', 'code', 'other', 'other', 'other', 'other'],
  ]);
  expect(['a.md', 'a.py', 'a.csv', 'a.pdf', 'a.docx', 'a.unknown', 'constructor'].map(mediaType)).toEqual([
    'text/markdown; charset=utf-8',
    'text/plain; charset=utf-8',
    'text/csv; charset=utf-8',
    'application/pdf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/octet-stream',
    'application/octet-stream',
  ]);
});
