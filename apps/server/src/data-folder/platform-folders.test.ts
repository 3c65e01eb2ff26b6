import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RESTORED_NAME } from './data-place.ts';
import { endFirstRun, preparePlatformFolders, workFolders } from './platform-folders.ts';

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-folders-'));
  data = path.join(root, 'deep/data');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, content: string) => {
  mkdirSync(path.dirname(path.join(data, name)), { recursive: true });
  writeFileSync(path.join(data, name), content);
};

// Fails when a folder is made with the default mode: other users could list logs and read what is in them.
test('a new folder, its parents and its parts are for this user only', () => {
  const folders = preparePlatformFolders(data);
  expect(folders).toMatchObject({ data, database: path.join(data, 'berth.db'), isFirstRun: true });
  expect(folders.origin.kind).toBe('unknown');
  for (const folder of [path.dirname(data), data, folders.logs, folders.runtimeState]) {
    expect([folder, statSync(folder).mode & 0o777]).toEqual([folder, 0o700]);
  }
});

// Fails when the mark is not written, or ends with the first call: a killed first start would be called damaged.
test('it stays a new one until its database exists', () => {
  expect(preparePlatformFolders(data).isFirstRun).toBe(true);
  write('master.key', 'made before the kill');
  expect(preparePlatformFolders(data).isFirstRun).toBe(true);
  write('berth.db', 'rows');
  endFirstRun({ data });
  endFirstRun({ data });
  expect(preparePlatformFolders(data).isFirstRun).toBe(false);
});

// Fails when one of the names is dropped from the list: that server would delete the artifacts it has no rows for.
test.each(['master.key', 'api-key', 'logs/a.lines', 'work/volumes/acc/v', 'work/artifacts/acc/a', 'work/archives/a'])(
  'a folder that holds %s without a database was used, and is left as it is',
  (name) => {
    write(name, 'content');
    const before = readdirSync(data, { recursive: true }).sort();
    const part = name
      .split('/')
      .slice(0, name.startsWith('work') ? 2 : 1)
      .join('/');
    expect(() => preparePlatformFolders(data)).toThrow(
      `berth.db is missing, but ${data} has been used: it holds ${part}.`,
    );
    write('berth.db', '');
    expect(() => preparePlatformFolders(data)).toThrow('berth.db is empty');
    rmSync(path.join(data, 'berth.db'));
    expect(readdirSync(data, { recursive: true }).sort()).toEqual(before);
  },
);

// Fails when empty folders count as used: a start that was killed before it wrote its mark leaves them.
test('empty folders and empty files are no use of it', () => {
  mkdirSync(path.join(data, 'logs'), { recursive: true });
  mkdirSync(path.join(data, 'work/volumes'), { recursive: true });
  write('berth.db', '');
  expect(preparePlatformFolders(data).isFirstRun).toBe(true);
});

test('a restored folder says so, and is no first run', () => {
  write('berth.db', 'rows');
  write(RESTORED_NAME, JSON.stringify({ work_root: '/former/work' }));
  expect(preparePlatformFolders(data)).toMatchObject({
    isFirstRun: false,
    origin: { kind: 'restored', workRoot: '/former/work' },
  });
});

// Fails when the cause goes out as it is, or the sentence names only the part that failed.
test.each([
  ['the data folder is a file', () => data, () => data],
  ['a parent of it is a file', () => path.dirname(data), () => data],
  ['a part of it is a file', () => path.join(data, 'runtime'), () => path.join(data, 'runtime')],
])('when %s, the error names the path and what to do', (_what, blocked, named) => {
  mkdirSync(path.dirname(blocked()), { recursive: true });
  writeFileSync(blocked(), 'a file');
  let message = '';
  try {
    preparePlatformFolders(data);
  } catch (error) {
    expect(error).toMatchObject({ code: 'unavailable' });
    message = (error as Error).message;
  }
  expect(message).toContain(`The data folder ${data} can't be used: `);
  expect(message).toContain(named());
  expect(message).toMatch(/Choose another with --data\.$/);
  expect(existsSync(path.join(data, 'first-run'))).toBe(false);
});

// Fails with Node's `recursive` option, which never returns for a path below /proc.
test('a place in which nothing can be made is refused at once', () => {
  expect(() => preparePlatformFolders('/proc/berth/deep/data')).toThrow("The data folder /proc/berth/deep/data can't");
});

test('the folders that services may see lie below the work root', () => {
  expect(Object.values(workFolders('/w')).sort()).toEqual(['/w/archives', '/w/artifacts', '/w/cache', '/w/volumes']);
});

// Fails when a folder is started on another database than its own: the artifacts of its services would be deleted.
test('a folder stays with its database, SQLite or Postgres', () => {
  const data = path.join(root, 'on-postgres');
  expect(preparePlatformFolders(data, true).isFirstRun).toBe(true);
  writeFileSync(path.join(data, 'master.key'), 'key');
  endFirstRun({ data }, true);
  expect(preparePlatformFolders(data, true).isFirstRun).toBe(false);
  expect(() => preparePlatformFolders(data)).toThrow('Set BERTH_DATABASE_URL to its URL.');
  const other = path.join(root, 'on-sqlite');
  preparePlatformFolders(other);
  writeFileSync(path.join(other, 'berth.db'), 'tables');
  expect(() => preparePlatformFolders(other, true)).toThrow('Start without BERTH_DATABASE_URL');
});
