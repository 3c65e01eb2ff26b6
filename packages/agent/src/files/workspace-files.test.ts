import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseWorkspacePath, ROOT, type WorkspacePath } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { ANN, BOB, bytesOf, createFilesFixture } from './testing/create-files-fixture.ts';

const at = (text: string) => parseWorkspacePath(text);
const code = (name: string) => expect.objectContaining({ code: name });

describe('a workspace', () => {
  it('gives back what was written, and another version another tag', async () => {
    await using fixture = await createFilesFixture();
    const entry = await fixture.files.write(ANN, at('notes/a.txt'), bytesOf('one ', 'two'));
    expect(entry).toMatchObject({ name: 'a.txt', path: 'notes/a.txt', type: 'file', size: 7, kind: 'text' });
    expect(Math.abs(Date.parse(entry.modified) - Date.now())).toBeLessThan(60_000);
    expect(await fixture.text('notes/a.txt')).toBe('one two');
    await using first = await fixture.files.open(ANN, at('notes/a.txt'));
    await fixture.put('notes/a.txt', 'one too');
    await using second = await fixture.files.open(ANN, at('notes/a.txt'));
    expect(second?.etag).not.toBe(first?.etag);
    // Whoever has it open reads on in the version they opened.
    expect(Buffer.concat((await first?.read({ first: 4, last: 6 }).toArray()) ?? []).toString()).toBe('two');
  });

  it('is of its owner alone', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'of Ann');
    expect(await fixture.files.find(BOB, at('a.txt'))).toBeUndefined();
    expect(await fixture.files.list(BOB, ROOT)).toEqual([]);
    await expect(fixture.files.move(BOB, at('a.txt'), at('b.txt'))).rejects.toEqual(code('not_found'));
    expect(await fixture.text('a.txt')).toBe('of Ann');
  });

  it('keeps what was there when an upload fails, and nothing of the upload', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'kept');
    const broken = async function* () {
      yield Buffer.from('half');
      throw createError('bad_request', 'cut off');
    };
    await expect(fixture.files.write(ANN, at('a.txt'), broken())).rejects.toEqual(code('bad_request'));
    await expect(fixture.files.write(ANN, at('new/a.txt'), broken())).rejects.toEqual(code('bad_request'));
    const tooMuch = fixture.files.stage(bytesOf('12345', '6'), { maxBytes: 5 });
    await expect(tooMuch).rejects.toEqual(code('payload_too_large'));
    await using full = await fixture.files.stage(bytesOf('12345'), { maxBytes: 5 });
    await fixture.files.place(ANN, { path: at('full.txt'), staged: full });
    await fixture.files.write(ANN, at('empty.txt'), bytesOf());
    expect([await fixture.text('a.txt'), await fixture.text('full.txt'), await fixture.text('empty.txt')]).toEqual([
      'kept',
      '12345',
      '',
    ]);
    expect(await fixture.paths()).toEqual(['a.txt', 'empty.txt', 'full.txt']);
    expect(await readdir(path.join(fixture.dataFolder, '.incoming'))).toEqual([]);
  });

  it('does not put a file where a folder is, nor below a file', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('folder/a.txt', 'a');
    await expect(fixture.put('folder', 'x')).rejects.toEqual(code('conflict'));
    await expect(fixture.put('folder/a.txt/b', 'x')).rejects.toEqual(code('conflict'));
    await expect(fixture.files.makeFolder(ANN, at('folder/a.txt'))).rejects.toEqual(code('conflict'));
    await using staged = await fixture.files.stage(bytesOf('b'));
    const taken = fixture.files.place(ANN, { path: at('folder/a.txt'), staged }, { isExclusive: true });
    await expect(taken).rejects.toEqual(code('conflict'));
    await fixture.files.place(ANN, { path: at('folder/b.txt'), staged }, { isExclusive: true });
    await fixture.files.makeFolder(ANN, at('folder'));
    expect(await fixture.text('folder/a.txt')).toBe('a');
    expect(await fixture.paths()).toEqual(['folder/', 'folder/a.txt', 'folder/b.txt']);
  });

  it('finds one name in every Unicode form', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('x', '');
    await mkdir(fixture.at('cafe\u0301'));
    await writeFile(fixture.at('cafe\u0301/re\u0301sume\u0301.txt'), 'a tool wrote it');
    expect(await fixture.paths()).toEqual(['caf\u00e9/', 'caf\u00e9/r\u00e9sum\u00e9.txt', 'x']);
    expect(await fixture.text(at('cafe\u0301/re\u0301sume\u0301.txt'))).toBe('a tool wrote it');
    await fixture.put('caf\u00e9/r\u00e9sum\u00e9.txt', 'new');
    expect(await readdir(fixture.at('cafe\u0301'))).toEqual(['re\u0301sume\u0301.txt']);
  });

  it('follows no link, inward or outward, and reads no device', async () => {
    await using fixture = await createFilesFixture();
    const secret = path.join(fixture.dataFolder, 'secret.txt');
    await writeFile(secret, 'secret');
    await fixture.put('folder/a.txt', 'a');
    await symlink(secret, fixture.at('link.txt'));
    await symlink(fixture.dataFolder, fixture.at('out'));
    await symlink('folder', fixture.at('in'));
    for (const name of ['link.txt', 'out/secret.txt', 'in/a.txt', 'out']) {
      expect(await fixture.files.find(ANN, at(name)), name).toBeUndefined();
      expect(await fixture.text(name), name).toBeUndefined();
    }
    await expect(fixture.put('out/secret.txt', 'x')).rejects.toEqual(code('conflict'));
    await expect(fixture.files.move(ANN, at('folder/a.txt'), at('out/b.txt'))).rejects.toEqual(code('conflict'));
    // A file takes the place of the link itself.
    await fixture.put('link.txt', 'mine');
    expect(await readFile(secret, 'utf8')).toBe('secret');
    expect(await fixture.paths()).toEqual(['folder/', 'folder/a.txt', 'link.txt']);
  });

  it('never reads through a folder that becomes a link again and again', async () => {
    await using fixture = await createFilesFixture();
    const outside = path.join(fixture.dataFolder, 'outside');
    await mkdir(outside);
    await writeFile(path.join(outside, 'a.txt'), 'secret');
    await fixture.put('real/a.txt', 'mine');
    await symlink(outside, fixture.at('link'));
    let isSwapping = true;
    const swapping = (async () => {
      while (isSwapping) {
        await rename(fixture.at('real'), fixture.at('aside'));
        await rename(fixture.at('link'), fixture.at('real'));
        await rename(fixture.at('real'), fixture.at('link'));
        await rename(fixture.at('aside'), fixture.at('real'));
      }
    })();
    const seen = new Set<string | undefined>();
    for (let round = 0; round < 200; round++) {
      seen.add(await fixture.text('real/a.txt'));
    }
    isSwapping = false;
    await swapping;
    expect(seen).not.toContain('secret');
    expect(seen).toContain('mine');
  });
});

describe('moving', () => {
  it('renames files and folders, and never over anything', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a/one.txt', '1');
    await fixture.put('b/two.txt', '2');
    await fixture.files.move(ANN, at('a/one.txt'), at('c/d/one.txt'));
    await fixture.files.move(ANN, at('b'), at('e'));
    expect(await fixture.paths()).toEqual(['a/', 'c/', 'c/d/', 'c/d/one.txt', 'e/', 'e/two.txt']);
    for (const [from, to] of [
      ['c', 'e'],
      ['e/two.txt', 'c/d/one.txt'],
      ['e', 'c/d/one.txt'],
      ['a', 'a'],
    ] as const) {
      await expect(fixture.files.move(ANN, at(from), at(to)), `${from} → ${to}`).rejects.toEqual(code('conflict'));
    }
    await expect(fixture.files.move(ANN, at('c'), at('c/x/y'))).rejects.toEqual(code('conflict'));
    await expect(fixture.files.move(ANN, at('none'), at('z'))).rejects.toEqual(code('not_found'));
    expect(await fixture.paths()).toEqual(['a/', 'c/', 'c/d/', 'c/d/one.txt', 'e/', 'e/two.txt']);
  });

  it('gives one name to one of many at once', async () => {
    await using fixture = await createFilesFixture();
    for (let index = 0; index < 8; index++) await fixture.put(`${index}.txt`, `${index}`);
    const moves = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => fixture.files.move(ANN, at(`${index}.txt`), at('winner.txt'))),
    );
    expect(moves.filter((move) => move.status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.paths()).toHaveLength(8);
  });

  it('takes the rows of an app along', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('apps/notes/index.html', '<p>');
    await fixture.stores.appData.put({ owner: ANN, slug: 'notes', who: '' }, 'a', '1');
    await fixture.files.move(ANN, at('apps/notes'), at('apps/diary'));
    expect(await fixture.stores.appData.find({ owner: ANN, slug: 'diary', who: '' }, 'a')).toMatchObject({
      value: '1',
    });
    expect(await fixture.stores.appData.find({ owner: ANN, slug: 'notes', who: '' }, 'a')).toBeUndefined();
  });
});

describe('listing', () => {
  it('shows folders first, in the asked order, without what is hidden', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('b.txt', '22');
    await fixture.put('a10.txt', '4444');
    await fixture.put('a9.md', '1');
    await fixture.put('z/inner.txt', '');
    await fixture.put('.hidden/x', '');
    await fixture.put('z/.env', 'SECRET');
    const names = async (options: object, folder = '') =>
      (await fixture.files.list(ANN, folder as WorkspacePath, options)).map((entry) => entry.path);
    expect(await names({})).toEqual(['z', 'a9.md', 'a10.txt', 'b.txt']);
    expect(await names({ desc: true })).toEqual(['z', 'b.txt', 'a10.txt', 'a9.md']);
    expect(await names({ sort: 'size' })).toEqual(['z', 'a9.md', 'b.txt', 'a10.txt']);
    expect(await names({ sort: 'size', desc: true })).toEqual(['z', 'a10.txt', 'b.txt', 'a9.md']);
    expect(await names({ recursive: true })).toEqual(['z', 'a9.md', 'a10.txt', 'b.txt', 'z/inner.txt']);
    expect(await names({ search: 'INNER' })).toEqual(['z/inner.txt']);
    expect(await names({}, 'z')).toEqual(['z/inner.txt']);
    expect(await names({}, 'none')).toEqual([]);
    expect(await names({}, 'b.txt')).toEqual([]);
    // Hidden is not forbidden.
    expect(await fixture.text('z/.env')).toBe('SECRET');
  });

  // Holds the agent to the contract: verifies('files.list-bounds')
  it('stops at what the contract says', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('x/0', '');
    await Promise.all(Array.from({ length: 2_100 }, (_, index) => writeFile(fixture.at(`x/${index}`), '')));
    expect(await fixture.files.list(ANN, ROOT, { recursive: true })).toHaveLength(2_000);
    expect(await fixture.files.list(ANN, ROOT, { search: '1' })).toHaveLength(12);
    expect(await fixture.files.list(ANN, at('x'))).toHaveLength(2_100);
  });
});

describe('a batch', () => {
  const stage = async (fixture: Awaited<ReturnType<typeof createFilesFixture>>, names: readonly string[]) =>
    Promise.all(
      names.map(async (name) => ({ path: at(name), staged: await fixture.files.stage(bytesOf(`new ${name}`)) })),
    );

  it('is stored as a whole', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'old');
    await fixture.files.placeAll(ANN, await stage(fixture, ['a.txt', 'b/c.txt', 'b/d/e.txt']));
    expect(await fixture.text('a.txt')).toBe('new a.txt');
    expect(await fixture.paths()).toEqual(['a.txt', 'b/', 'b/c.txt', 'b/d/', 'b/d/e.txt']);
    expect(await readdir(path.join(fixture.dataFolder, '.incoming'))).toEqual([]);
  });

  it.each([
    ['a folder in the way', ['new.txt', 'folder'], 'conflict'],
    ['a file in the way', ['new.txt', 'file.txt/x'], 'conflict'],
    ['one twice', ['new.txt', 'new.txt'], 'invalid'],
    ['a file that is also a folder', ['new.txt', 'new.txt/x'], 'invalid'],
  ])('is not stored at all with %s', async (_what, names, expected) => {
    await using fixture = await createFilesFixture();
    await fixture.put('file.txt', 'old');
    await fixture.files.makeFolder(ANN, at('folder'));
    await expect(fixture.files.placeAll(ANN, await stage(fixture, names))).rejects.toEqual(code(expected));
    expect(await fixture.paths()).toEqual(['file.txt', 'folder/']);
    expect(await fixture.text('file.txt')).toBe('old');
  });
});
