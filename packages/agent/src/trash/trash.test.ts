import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { parseWorkspacePath, ROOT } from '@berth/agent-core';
import { describe, expect, it } from 'vitest';
import { ANN, BOB, createFilesFixture } from '../files/testing/create-files-fixture.ts';
import { ownerFolderName } from '../files/workspace-folder.ts';
import { restoredPath } from './create-trash.ts';

const at = (text: string) => parseWorkspacePath(text);
const code = (name: string) => expect.objectContaining({ code: name });
const DAY_MS = 24 * 3_600_000;

describe('the trash', () => {
  it('takes a file or a folder, shows it, and gives it back', async () => {
    await using fixture = await createFilesFixture();
    const { trash, clock } = fixture;
    await fixture.put('a/one.txt', '1');
    await fixture.put('two.txt', '2');
    const folder = await trash.put(ANN, at('a'), { by: 'user' });
    clock.advance(1_000);
    const file = await trash.put(ANN, at('two.txt'), { by: 'agent', reason: 'tidying up' });
    expect([folder.kind, file.kind]).toEqual(['dir', 'file']);
    expect(await fixture.paths()).toEqual([]);
    const deletedAt = new Date(clock.nowMs()).toISOString();
    expect(await trash.list(ANN)).toEqual([
      { id: file.id, path: 'two.txt', kind: 'file', by: 'agent', deleted_at: deletedAt, reason: 'tidying up' },
      expect.objectContaining({ id: folder.id, path: 'a', kind: 'dir', by: 'user' }),
    ]);
    expect(await trash.restore(ANN, folder.id)).toBe('a');
    expect(await trash.restore(ANN, file.id)).toBe('two.txt');
    expect(await fixture.paths()).toEqual(['a/', 'a/one.txt', 'two.txt']);
    expect(await trash.list(ANN)).toEqual([]);
  });

  it('is of its owner alone', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'a');
    await expect(fixture.trash.put(BOB, at('a.txt'), { by: 'user' })).rejects.toEqual(code('not_found'));
    const { id } = await fixture.trash.put(ANN, at('a.txt'), { by: 'user' });
    expect(await fixture.trash.list(BOB)).toEqual([]);
    await expect(fixture.trash.restore(BOB, id)).rejects.toEqual(code('not_found'));
    await expect(fixture.trash.remove(BOB, id)).rejects.toEqual(code('not_found'));
    await expect(fixture.trash.restore(ANN, 'none')).rejects.toEqual(code('not_found'));
    await fixture.trash.empty(BOB);
    expect(await fixture.trash.restore(ANN, id)).toBe('a.txt');
  });

  it('replaces nothing when it gives back', async () => {
    await using fixture = await createFilesFixture();
    const ids: string[] = [];
    for (const text of ['first', 'second', 'third']) {
      await fixture.put('a.tar.gz', text);
      ids.push((await fixture.trash.put(ANN, at('a.tar.gz'), { by: 'user' })).id);
    }
    await fixture.put('a.tar.gz', 'fourth');
    const paths: string[] = [];
    for (const id of ids) paths.push(await fixture.trash.restore(ANN, id));
    expect(paths).toEqual(['a.tar (restored).gz', 'a.tar (restored 2).gz', 'a.tar (restored 3).gz']);
    expect(await fixture.text('a.tar.gz')).toBe('fourth');
    expect(await fixture.text('a.tar (restored 2).gz')).toBe('second');
  });

  it('gives a thing back once, however many ask at once', async () => {
    await using fixture = await createFilesFixture();
    for (const name of ['file.txt', 'folder/x.txt']) {
      await fixture.put(name, name);
      const { id } = await fixture.trash.put(ANN, at(name.split('/')[0] as string), { by: 'user' });
      const tries = await Promise.allSettled([1, 2, 3].map(() => fixture.trash.restore(ANN, id)));
      expect(tries.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await fixture.text(name)).toBe(name);
    }
    expect(await fixture.paths()).toEqual(['file.txt', 'folder/', 'folder/x.txt']);
  });

  it('says so when the folder it was in is a file now', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a/b.txt', 'b');
    const { id } = await fixture.trash.put(ANN, at('a/b.txt'), { by: 'user' });
    await fixture.trash.put(ANN, at('a'), { by: 'user' });
    await fixture.put('a', 'a file');
    await expect(fixture.trash.restore(ANN, id)).rejects.toEqual(code('conflict'));
    await fixture.trash.put(ANN, at('a'), { by: 'user' });
    expect(await fixture.trash.restore(ANN, id)).toBe('a/b.txt');
  });

  // Holds the agent to the contract: verifies('trash.list')
  it('lets go after 30 days, at the next look or deletion', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'a');
    await fixture.put('b.txt', 'b');
    await fixture.trash.put(ANN, at('a.txt'), { by: 'user' });
    fixture.clock.advance(30 * DAY_MS);
    expect(await fixture.trash.list(ANN)).toHaveLength(1);
    fixture.clock.advance(1);
    await fixture.trash.put(ANN, at('b.txt'), { by: 'user' });
    expect((await fixture.trash.list(ANN)).map((item) => item.path)).toEqual(['b.txt']);
    const bytes = path.join(fixture.dataFolder, '.trash', ownerFolderName(ANN));
    expect(await readdir(bytes)).toHaveLength(1);
    fixture.clock.advance(31 * DAY_MS);
    expect(await fixture.trash.list(ANN)).toEqual([]);
    expect(await readdir(bytes)).toEqual([]);
  });

  it('deletes for good, one or all', async () => {
    await using fixture = await createFilesFixture();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      await fixture.put(`${name}/x`, name);
      ids.push((await fixture.trash.put(ANN, at(name), { by: 'user' })).id);
    }
    await fixture.trash.remove(ANN, ids[1] as string);
    await expect(fixture.trash.remove(ANN, ids[1] as string)).rejects.toEqual(code('not_found'));
    expect((await fixture.trash.list(ANN)).map((item) => item.path)).toEqual(['c', 'a']);
    await fixture.trash.empty(ANN);
    expect(await fixture.trash.list(ANN)).toEqual([]);
    await expect(fixture.trash.restore(ANN, ids[0] as string)).rejects.toEqual(code('not_found'));
  });

  it('shows chats beside files', async () => {
    await using fixture = await createFilesFixture();
    await fixture.stores.chats.patch(ANN, 'c-1', { title: 'Plans' }, fixture.clock.nowMs());
    await fixture.stores.chats.trash(ANN, 'c-1', fixture.clock.nowMs());
    expect(await fixture.trash.list(ANN)).toMatchObject([{ id: 'chat:c-1', path: 'Plans', kind: 'chat', by: 'user' }]);
    await expect(fixture.trash.restore(BOB, 'chat:c-1')).rejects.toEqual(code('not_found'));
    expect(await fixture.trash.restore(ANN, 'chat:c-1')).toBe('chat/c-1');
    expect(await fixture.stores.chats.find(ANN, 'c-1')).toMatchObject({ title: 'Plans' });
    await fixture.stores.chats.trash(ANN, 'c-1', fixture.clock.nowMs());
    await fixture.trash.remove(ANN, 'chat:c-1');
    await expect(fixture.trash.remove(ANN, 'chat:c-1')).rejects.toEqual(code('not_found'));
  });

  it('keeps the rows of an app with it', async () => {
    await using fixture = await createFilesFixture();
    const { appData } = fixture.stores;
    const row = (slug: string) => appData.find({ owner: ANN, slug, who: '' }, 'a');
    await fixture.put('apps/notes/index.html', '<p>');
    await appData.put({ owner: ANN, slug: 'notes', who: '' }, 'a', '1');
    const { id, kind } = await fixture.trash.put(ANN, at('apps/notes'), { by: 'user' });
    expect(kind).toBe('app');
    expect(await row('notes')).toBeUndefined();
    await fixture.put('apps/notes/index.html', 'another');
    expect(await fixture.trash.restore(ANN, id)).toBe('apps/notes (restored)');
    expect(await row('notes (restored)')).toMatchObject({ value: '1' });
    const again = await fixture.trash.put(ANN, at('apps/notes (restored)'), { by: 'user' });
    await fixture.trash.remove(ANN, again.id);
    expect(
      await appData.list({ owner: ANN, slug: `trash:${again.id}`, who: undefined }, { prefix: '', limit: 9 }),
    ).toEqual([]);
  });

  it('loses nothing to a process that is killed between two steps of a deletion', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'a');
    // The row was written, the file not yet moved.
    const entry = {
      id: 'trash_1',
      path: 'a.txt',
      kind: 'file',
      by: 'user',
      reason: '',
      deletedAtMs: fixture.clock.nowMs(),
    } as const;
    await fixture.stores.trash.add(ANN, entry);
    expect(await fixture.trash.list(ANN)).toEqual([]);
    expect(await fixture.text('a.txt')).toBe('a');
    await expect(fixture.trash.restore(ANN, 'trash_1')).rejects.toEqual(code('not_found'));
    // The file was moved back, the row not yet taken out.
    const { id } = await fixture.trash.put(ANN, at('a.txt'), { by: 'user' });
    await rename(path.join(fixture.dataFolder, '.trash', ownerFolderName(ANN), id), fixture.at('a.txt'));
    expect(await fixture.trash.list(ANN)).toEqual([]);
    expect(await fixture.text('a.txt')).toBe('a');
  });

  it('does not take the workspace itself', async () => {
    await using fixture = await createFilesFixture();
    await expect(fixture.trash.put(ANN, ROOT, { by: 'user' })).rejects.toEqual(code('forbidden'));
  });

  it('gives back only what lies in the workspace, whatever a row says', async () => {
    await using fixture = await createFilesFixture();
    await fixture.put('a.txt', 'a');
    const { id } = await fixture.trash.put(ANN, at('a.txt'), { by: 'user' });
    const entry = await fixture.stores.trash.take(ANN, id);
    await fixture.stores.trash.add(ANN, { ...(entry as NonNullable<typeof entry>), path: '../../evil.txt' });
    await expect(fixture.trash.restore(ANN, id)).rejects.toEqual(code('forbidden'));
  });
});

describe('restoredPath', () => {
  it.each([
    ['a.txt', 1, 'a (restored).txt'],
    ['a.txt', 2, 'a (restored 2).txt'],
    ['x/y/.env', 1, 'x/y/.env (restored)'],
    ['folder', 1, 'folder (restored)'],
    ['a.txt', 0, 'a.txt'],
  ])('%s, %i: %s', (text, attempt, expected) => {
    expect(restoredPath(at(text), attempt)).toBe(expected);
  });

  it('stays within what a file system can name', () => {
    const name = `${'é'.repeat(125)}.txt`;
    const restored = restoredPath(at(name), 12);
    expect(Buffer.byteLength(restored)).toBeLessThanOrEqual(255);
    expect(restored).toMatch(/^é+ \(restored 12\)\.txt$/);
  });
});
