import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { checkArchive } from '@berth/builder/sealed-archive';
import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { pack } from 'tar-stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeArchive } from '../../testing/make-backup.ts';
import { type InProcessOptions, runInProcess } from '../../testing/run-in-process.ts';
import { type ServedObjects, serveVolume } from '../../testing/serve-volume.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let home: TemporaryFolder;
let server: ScriptedServer;
let objects: ServedObjects;
beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createScriptedServer();
  objects = serveVolume(server);
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

const run = (words: readonly string[], options: InProcessOptions = {}) =>
  runInProcess(server, ['volume', ...words], { home: home.path, ...options });
const check = (bytes: Buffer) =>
  checkArchive(Readable.from([bytes]), { signal: new AbortController().signal, onEntry: async () => {} });

/** A tar of another program, without checksums. */
async function makePlainTar(fill: (tar: ReturnType<typeof pack>) => void): Promise<Buffer> {
  const tar = pack();
  fill(tar);
  tar.finalize();
  return zstdCompressSync(await buffer(tar));
}

test('what is exported is imported whole, from a file and from standard input', async () => {
  const contents = { 'a.txt': 'a', 'deep/é #%?.txt': 'b', empty: '' };
  for (const [name, text] of Object.entries(contents)) objects.set(name, text);
  const { code, binary, stdout, stderr } = await run(['export', 'v']);
  expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining('Exported 3 files, 2 B')]);
  expect(await check(binary)).toEqual({ isSealed: true });
  await home.write({ 'v.tar.zst': binary });
  for (const [words, options] of [
    [['import', 'w', 'v.tar.zst', '--json'], {}],
    [['import', 'w', '--json'], { inputBytes: binary }],
  ] as const) {
    objects.clear();
    const imported = await run(words, options);
    expect(JSON.parse(imported.stdout)).toMatchObject({ volume: 'w', has_checksums: true, files: 3, skipped: 0 });
    expect(Object.fromEntries(objects)).toEqual(contents);
    // Fails when the temporary copies are left behind: they hold all of the volume.
    expect(readdirSync(home.path)).toEqual(['v.tar.zst']);
  }
});

describe('an export', () => {
  test('to a terminal is refused before anything is asked', async () => {
    const { code, stderr } = await run(['export', 'v'], { isTerminal: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Redirect the output to a file')]);
    expect(server.requests).toEqual([]);
  });

  // Fails when an object's error is swallowed, or the archive is sealed all the same.
  test.each([
    ['changed since it was listed', 'x', 200],
    ['gone since it was listed', '{"detail":"There is no such object."}', 404],
  ])('with an object that is %s fails, and what was written is no whole archive', async (_what, body, status) => {
    objects.set('a', 'a'.repeat(100));
    objects.set('b', 'b'.repeat(100));
    server.on('GET /store/b', ({ response }) => void response.writeHead(status).end(body));
    const { code, binary, stderr } = await run(['export', 'v']);
    expect(code).toBe(1);
    expect(stderr).not.toContain('bug in the berth command');
    await expect(check(binary)).rejects.toThrow();
  });

  test('whose connection breaks says so', async () => {
    objects.set('a', 'a'.repeat(100));
    server.on('GET /store/a', ({ response }) => {
      response.writeHead(200, { 'content-length': 100 }).write('aaa', () => response.destroy());
    });
    const { code, stderr } = await run(['export', 'v']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The export failed at a')]);
  });
});

describe('an import', () => {
  const stored = () => server.requests.filter((line) => line.startsWith('PUT'));

  // Fails when names are checked as they come: the first objects would be replaced before the bad one is found.
  test.each(['../a', 'a/../../b', 'a//b', `${'a'.repeat(256)}`])('of a path %j changes nothing', async (name) => {
    const bytes = await makeArchive([
      { name: 'good', content: 'x' },
      { name, content: 'x' },
    ]);
    const { code, stderr } = await run(['import', 'w'], { inputBytes: bytes });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/can't be stored as an object: .*Nothing was imported\./),
    ]);
    // Fails when the volume is made before the archive is checked.
    expect(server.requests).toEqual([]);
    expect(readdirSync(home.path)).toEqual([]);
  });

  test('of a damaged archive changes nothing', async () => {
    const bytes = await makeArchive([{ name: 'a', content: 'x'.repeat(1_000) }]);
    const { code } = await run(['import', 'w'], { inputBytes: bytes.subarray(0, bytes.length - 20) });
    expect([code, server.requests, readdirSync(home.path)]).toEqual([1, [], []]);
  });

  test('of another program’s archive warns that damage can’t be told, and skips what is no file', async () => {
    const bytes = await makePlainTar((tar) => {
      tar.entry({ name: './folder/', type: 'directory' });
      tar.entry({ name: './folder/a' }, 'text');
      tar.entry({ name: 'link\u001b]0;owned\u0007', type: 'symlink', linkname: '/etc/passwd' });
    });
    const { code, stdout, stderr } = await run(['import', 'w', '--json'], { inputBytes: bytes });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { has_checksums: false, files: 1 }]);
    expect(Object.fromEntries(objects)).toEqual({ 'folder/a': 'text' });
    expect(stderr.split('\n')).toEqual([
      "▲ The archive has no checksums, so damage can't be detected.",
      // Fails when a warning quotes a name as it is.
      '▲ link is skipped: it is not a file.',
      '',
    ]);
  });

  test('that the volume refuses fails, and says why', async () => {
    server.on('PUT /store/a', answerJson(507, { detail: 'The volume is full.' }));
    const bytes = await makeArchive([
      { name: 'a', content: 'x' },
      { name: 'b', content: 'x' },
    ]);
    const { code, stdout, stderr } = await run(['import', 'w'], { inputBytes: bytes });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The volume is full.')]);
    // Fails when the next object is sent after a refused one.
    expect(stored()).toEqual(['PUT /store/a']);
    expect(readdirSync(home.path)).toEqual([]);
  });

  test('of a file that is not there says so', async () => {
    const { code, stderr } = await run(['import', 'w', 'missing']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^✗ \/.*missing does not exist\.\n$/)]);
    expect([server.requests, readdirSync(home.path)]).toEqual([[], []]);
  });
});
