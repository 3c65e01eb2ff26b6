import { linkSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { readDiskUse, sizeOf } from './read-disk-use.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  return () => folder[Symbol.asyncDispose]();
});

const KIB = 1_024;
const OPTIONS = { environment: {}, signal: new AbortController().signal };
const at = (name: string) => path.join(folder.path, name);

/** Writes a file that takes this much room. */
async function fill(name: string, kibibytes: number): Promise<void> {
  await folder.write({ [name]: Buffer.alloc(kibibytes * KIB, 1) });
}

interface Records {
  /** Artifacts by revision; the current one of each deployment is its last. */
  readonly artifacts?: readonly { readonly deployment: string; readonly artifact: object }[];
  readonly deletedVolumes?: readonly string[];
}

/** The tables that the server keeps beside the files. */
function writeDatabase({ artifacts = [], deletedVolumes = [] }: Records = {}): void {
  using database = new DatabaseSync(at('berth.db'));
  database.exec(`CREATE TABLE revisions (account_id, deployment, revision, artifact);
    CREATE TABLE deployments (account_id, name, current_revision);
    CREATE TABLE deleted_volumes (account_id, storage_id);`);
  const revisions = database.prepare('INSERT INTO revisions VALUES (?, ?, ?, ?)');
  for (const [index, { deployment, artifact }] of artifacts.entries()) {
    revisions.run('acc', deployment, index, JSON.stringify(artifact));
    database.prepare('DELETE FROM deployments WHERE name = ?').run(deployment);
    database.prepare('INSERT INTO deployments VALUES (?, ?, ?)').run('acc', deployment, index);
  }
  for (const id of deletedVolumes) database.prepare('INSERT INTO deleted_volumes VALUES (?, ?)').run('acc', id);
}

describe('the room on the disk', () => {
  test('is told by what it is for', async () => {
    writeDatabase({
      artifacts: [
        { deployment: 'app', artifact: { path: 'acc/app/1' } },
        { deployment: 'app', artifact: { path: 'acc/app/2' } },
        { deployment: 'box', artifact: { image: 'sha256:1' } },
      ],
      deletedVolumes: ['vol_2'],
    });
    await fill('work/artifacts/acc/app/1/a', 100);
    await fill('work/artifacts/acc/app/2/a', 200);
    await fill('work/artifacts/acc/old/9/a', 300);
    await fill('work/volumes/acc/vol_1/a', 400);
    await fill('work/volumes/acc/vol_2/a', 500);
    await fill('work/cache/acc/app/a', 600);
    await fill('work/archives/a', 700);
    await fill('logs/a', 800);
    await fill('reserve', 900);
    await fill('backups/b.tar.zst', 1_000);
    await fill('something', 1_100);
    const use = await readDiskUse(folder.path, OPTIONS);
    // Folders take room of their own, so parts are a little more than their files.
    const part = (name: keyof typeof use.parts) => Math.floor(use.parts[name] / (100 * KIB)) * 100;
    // Fails when a part is told as another: someone would prune what serves, or keep what nothing needs.
    expect({
      kept: part('kept_artifacts'),
      current: part('current_artifacts'),
      other: part('other_artifacts'),
      volumes: part('volumes'),
      deleted: part('deleted_volumes'),
      caches: part('caches'),
      archives: part('archives'),
      logs: part('logs'),
      reserve: part('reserve'),
      backups: part('backups'),
      rest: part('other'),
    }).toEqual({
      ...{ kept: 100, current: 200, other: 300, volumes: 400, deleted: 500, caches: 600, archives: 700 },
      ...{ logs: 800, reserve: 900, backups: 1_000, rest: 1_100 },
    });
    expect([use.imageCount, use.problem]).toEqual([1, undefined]);
    expect(use.totalBytes).toBe(Object.values(use.parts).reduce((sum, bytes) => sum + bytes, 0));
    expect(use.deployments.map((one) => [one.deployment, Math.floor(sizeOf(one) / (100 * KIB)) * 100])).toEqual([
      ['app', 900],
      ['old', 300],
    ]);
  });

  test('of a file with two names counts once, where it serves', async () => {
    writeDatabase({ artifacts: [{ deployment: 'app', artifact: { path: 'acc/app/1' } }] });
    await fill('work/artifacts/acc/app/1/a', 1_000);
    mkdirSync(at('work/cache/acc/app'), { recursive: true });
    linkSync(at('work/artifacts/acc/app/1/a'), at('work/cache/acc/app/a'));
    const { parts } = await readDiskUse(folder.path, OPTIONS);
    // Fails when links are counted by their names: pruning would seem to give back room that it can't.
    expect([parts.current_artifacts >= 1_000 * KIB, parts.caches < 100 * KIB]).toEqual([true, true]);
  });

  test('is what is taken, not how long files are, and ends at links', async () => {
    writeDatabase();
    writeFileSync(at('logs'), '');
    truncateSync(at('logs'), 2 ** 40);
    await using outside = await createTemporaryFolder();
    await outside.write({ large: Buffer.alloc(1_000 * KIB, 1) });
    mkdirSync(at('work/volumes/acc/vol_1'), { recursive: true });
    symlinkSync(outside.path, at('work/volumes/acc/vol_1/link'));
    const { parts } = await readDiskUse(folder.path, OPTIONS);
    // Fails when lengths are added up, or a link of a tenant leads the count elsewhere.
    expect([parts.logs < 100 * KIB, parts.volumes < 100 * KIB]).toEqual([true, true]);
  });

  test('is read where the server keeps its work', async () => {
    writeDatabase();
    await using elsewhere = await createTemporaryFolder();
    await elsewhere.write({ 'volumes/acc/vol_1/a': Buffer.alloc(500 * KIB, 1) });
    await folder.write({ 'place.json': JSON.stringify({ work_root: elsewhere.path }) });
    const use = await readDiskUse(folder.path, OPTIONS);
    expect([use.workRoot, use.parts.volumes >= 500 * KIB]).toEqual([elsewhere.path, true]);
    // A place that is gone, or a file of an earlier version, means the folder inside.
    for (const text of ['{', '{}', '{"work_root":"/nonexistent"}']) {
      await folder.write({ 'place.json': text });
      expect((await readDiskUse(folder.path, OPTIONS)).workRoot).toBe(path.join(use.dataFolder, 'work'));
    }
  });
});

test('without the server’s records the rest is told, with the reason', async () => {
  await folder.write({ 'berth.db': 'not a database' });
  await fill('work/artifacts/acc/app/1/a', 200);
  const use = await readDiskUse(folder.path, OPTIONS);
  // Fails when a database that can't be read ends the command: a full disk is when both happen.
  expect([use.problem, use.parts.other_artifacts >= 200 * KIB]).toEqual([
    expect.stringMatching(/^The database couldn't be read: /),
    true,
  ]);
});

test('a folder that is no data folder is refused, and not made', async () => {
  await expect(readDiskUse(at('nothing'), OPTIONS)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('is not a data folder: it has no berth.db.'),
  });
  expect(() => statSync(at('nothing'))).toThrow();
});
