import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { answerJson, createScriptedServer, type Handler, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeBackup } from '../../testing/make-backup.ts';
import { runInProcess } from '../../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let home: TemporaryFolder;
let server: ScriptedServer;
beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createScriptedServer();
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

const run = (...words: string[]) => runInProcess(server, ['admin', ...words], { home: home.path });
const at = (name: string) => path.join(home.path, name);
const files = () => readdirSync(home.path).sort();
const send =
  (bytes: Buffer): Handler =>
  ({ response }) =>
    void response.end(bytes);

describe('berth admin backup', () => {
  test('saves what the server sends, for its owner alone, and says its checksum', async () => {
    const bytes = await makeBackup([{ name: 'data/berth.db', content: 'x' }]);
    server.on('GET /v1/admin/backup', send(bytes));
    const { code, stdout, stderr } = await run('backup', 'b.tar.zst');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect([code, stdout]).toEqual([0, `${at('b.tar.zst')}\n`]);
    expect(stderr).toContain(`SHA-256: ${sha256}`);
    expect(readFileSync(at('b.tar.zst')).equals(bytes)).toBe(true);
    // Fails when the file has the mode of the umask: it holds every secret of the platform.
    expect(statSync(at('b.tar.zst')).mode & 0o777).toBe(0o600);
    const json = await run('backup', 'b.tar.zst', '--json');
    expect(JSON.parse(json.stdout)).toEqual({
      not_included: [],
      file: at('b.tar.zst'),
      size_bytes: bytes.length,
      sha256,
    });
  });

  // Fails when the backup is written to its name, or gets it before it was checked: the last good one would be lost.
  test.each<[string, (sound: Buffer) => Handler]>([
    [
      'breaks off',
      (sound) =>
        ({ response }) => {
          response.writeHead(200, { 'content-length': sound.length });
          response.write(sound.subarray(0, 50), () => response.destroy());
        },
    ],
    ['is cut short without a word', (sound) => send(sound.subarray(0, sound.length - 40))],
    ['is damaged', (sound) => send(Buffer.concat([sound.subarray(0, 60), Buffer.from('x'), sound.subarray(61)]))],
    ['is something else', () => send(Buffer.from('<html>'))],
    ['is refused', () => answerJson(403, { detail: 'Only the operator may.' })],
  ])('that %s leaves the one that was there, and nothing beside it', async (_what, answer) => {
    const sound = await makeBackup([{ name: 'data/berth.db', content: 'x'.repeat(1_000) }]);
    await home.write({ 'b.tar.zst': 'the last good one' });
    server.on('GET /v1/admin/backup', answer(sound));
    const { code, stdout, stderr } = await run('backup', 'b.tar.zst');
    expect([code, stdout]).toEqual([1, '']);
    // Fails when what the connection throws isn't described: it would be a stack trace.
    expect(stderr).not.toContain('bug in the berth command');
    expect(readFileSync(at('b.tar.zst'), 'utf8')).toBe('the last good one');
    expect(files()).toEqual(['b.tar.zst']);
  });

  test('to a folder or a device is refused before anything is asked', async () => {
    mkdirSync(at('folder'));
    symlinkSync('/dev/null', at('device'));
    expect((await run('backup', 'folder')).stderr).toContain('is a folder. Name a file to write.');
    expect((await run('backup', 'device')).stderr).toContain('is not a file. Name a file to write.');
    expect([server.requests, lstatSync(at('device')).isSymbolicLink()]).toEqual([[], true]);
  });
});

describe('berth admin restore', () => {
  const entries = [
    { name: 'data/berth.db', content: 'database' },
    { name: 'data/api-key', content: 'key' },
  ];

  // Fails when the draft is renamed into a folder that is there instead of in its place.
  test.each([false, true])('makes a data folder, marked as restored (an empty one is there: %s)', async (isThere) => {
    // Fails when what an earlier try left is kept: it would become part of the platform.
    await home.write({ 'b.tar.zst': await makeBackup(entries), 'data.restoring/left': 'x' });
    if (isThere) mkdirSync(at('data'));
    const { code, stdout, stderr } = await run('restore', 'b.tar.zst', 'data');
    expect([code, stdout]).toEqual([0, `Start it with: berth start --data ${at('data')}\n`]);
    expect(stderr).toContain('Restored 2 files of 2026-01-01T00:00:00Z, made by Berth 1.0.0.');
    expect(readdirSync(at('data')).sort()).toEqual(['api-key', 'berth.db', 'restored.json']);
    expect(statSync(at('data')).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(at('data/restored.json'), 'utf8'))).toMatchObject({ format: 2, version: '1.0.0' });
    expect(files()).toEqual(['b.tar.zst', 'data']);
  });

  test('says as JSON what it made', async () => {
    await home.write({ 'b.tar.zst': await makeBackup(entries, { has_volumes: false }) });
    const { stdout, stderr } = await run('restore', 'b.tar.zst', 'data', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...{ folder: at('data'), files: 2, has_checksums: true, format: 2, version: '1.0.0' },
      ...{ created_at: '2026-01-01T00:00:00Z', has_volumes: false },
    });
    expect(stderr).toBe('▲ Its volumes are in a bucket and not part of the backup.\n');
  });

  test('into a folder with anything in it is refused, and changes nothing', async () => {
    await home.write({ 'b.tar.zst': await makeBackup(entries), 'data/mine': 'x' });
    const { code, stderr } = await run('restore', 'b.tar.zst', 'data');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not empty.')]);
    expect(readdirSync(at('data'))).toEqual(['mine']);
  });

  test('that fails leaves no folder', async () => {
    const twice = { name: 'data/a', content: 'x' };
    await home.write({ 'b.tar.zst': await makeBackup([twice, twice]) });
    const { code, stderr } = await run('restore', 'b.tar.zst', 'data');
    expect([code, stderr]).toEqual([1, expect.stringContaining('EEXIST')]);
    // Fails when the target is written to itself: a server would start on half of a platform.
    expect(files()).toEqual(['b.tar.zst']);
  });

  test('of a file that is not there says so', async () => {
    const { code, stderr } = await run('restore', 'missing.tar.zst', 'data');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^✗ \/.*missing\.tar\.zst does not exist\.\n$/)]);
    expect(existsSync(at('data'))).toBe(false);
  });

  test('over a file is refused, and the file stays', async () => {
    await home.write({ 'b.tar.zst': await makeBackup(entries) });
    writeFileSync(at('data'), 'mine');
    expect((await run('restore', 'b.tar.zst', 'data')).code).toBe(1);
    expect(readFileSync(at('data'), 'utf8')).toBe('mine');
    expect(files()).toEqual(['b.tar.zst', 'data']);
  });
});
