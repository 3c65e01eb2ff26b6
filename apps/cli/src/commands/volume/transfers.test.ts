import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessOptions, runInProcess } from '../../testing/run-in-process.ts';
import { SERVED_AT, type ServedObjects, serveVolume } from '../../testing/serve-volume.ts';
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
const at = (name: string) => path.join(home.path, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const fill = (...paths: readonly string[]) => {
  for (const one of paths) objects.set(one, `content of ${one}`);
};
/** All files below the home, by their paths. */
const files = (below = '.') =>
  readdirSync(at(below), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(at(below), path.join(entry.parentPath, entry.name)))
    .sort();
const stored = () => server.requests.filter((line) => line.startsWith('PUT')).map((line) => decodeURIComponent(line));

describe('get', () => {
  test('an object becomes a file of its name, here, in a folder, or under another name', async () => {
    fill('data/a.csv');
    mkdirSync(at('there'));
    for (const target of [[], ['there'], ['new/'], ['b.csv'], ['deep/er/c.csv']]) {
      expect(await run(['get', 'v', 'data/a.csv', ...target])).toMatchObject({ code: 0 });
    }
    // Fails when a folder that is there, or is meant by its slash, is taken for a file's name.
    expect(files()).toEqual(['a.csv', 'b.csv', 'deep/er/c.csv', 'new/a.csv', 'there/a.csv']);
    expect(read('deep/er/c.csv')).toBe('content of data/a.csv');
  });

  test('a path that is an object and a folder means the object, and its slash the folder', async () => {
    fill('a', 'a/b', 'ab', 'd/x', 'd-other');
    await run(['get', 'v', 'a', 'one']);
    await run(['get', 'v', '/a/', 'all']);
    await run(['get', 'v', 'd', 'folder']);
    // Fails when the prefix isn't closed with a slash: `d-other` would come too.
    expect(files()).toEqual(['all/b', 'folder/x', 'one']);
  });

  test('what was downloaded before is left alone, unless all is asked for', async () => {
    fill('a', 'b', 'c');
    await run(['get', 'v', '', 'copy']);
    objects.set('a', 'CONTENT OF a');
    await home.write({ 'copy/b': 'mine' });
    utimesSync(at('copy/b'), new Date(SERVED_AT), new Date(SERVED_AT));
    utimesSync(at('copy/c'), 0, 0);
    const again = await run(['get', 'v', '', 'copy', '--json']);
    // Fails when only the size or only the time is compared: `b` has another size, `c` another time.
    expect(JSON.parse(again.stdout)).toEqual({ volume: 'v', files: 2, bytes: 24, skipped: 1 });
    expect([read('copy/a'), read('copy/b')]).toEqual(['content of a', 'content of b']);
    expect((await run(['get', 'v', '', 'copy', '--all', '--json'])).stdout).toContain('"skipped":0');
    expect(read('copy/a')).toBe('CONTENT OF a');
    expect(statSync(at('copy/a')).mtime.toISOString()).toBe(SERVED_AT);
  });

  // Fails when `partsOf` doesn't check the path: a server could write anywhere that the user may write.
  test.each(['../out', 'a/../../out', 'a/..', './out', 'a//out'])('an object %j writes nothing', async (name) => {
    mkdirSync(at('copy'));
    objects.set(name, 'planted');
    const { code, stdout, stderr } = await run(['get', 'v', '', 'copy']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`"${name}" is not an object path.`)]);
    expect(files()).toEqual([]);
  });

  test('where there is nothing says so, and makes no folder', async () => {
    const { code, stderr } = await run(['get', 'v', 'missing', 'copy']);
    expect([code, stderr]).toEqual([1, '✗ v has no object at "missing".\n']);
    expect(existsSync(at('copy'))).toBe(false);
  });

  test('one object that can’t be had fails the command, and says which', async () => {
    fill('a', 'b', 'c');
    server.on('GET /store/b', answerJson(404, { detail: 'There is no object "b".' }));
    const { code, stdout, stderr } = await run(['get', 'v', '', 'copy', '--parallel', '1']);
    // Fails when a failed object is skipped: the copy would look whole.
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('There is no object "b".')]);
    expect(files('copy')).toEqual(['a']);
  });

  test.each(['0', '65', '1.5', 'many', '-1'])('--parallel %s is refused', async (number) => {
    for (const words of [
      ['get', 'v'],
      ['put', 'v', '.'],
    ]) {
      const { code, stderr } = await run([...words, '--parallel', number]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--parallel must be a number from 1 to 64')]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('put', () => {
  test('a folder is sent below a path, without links, and what is there stays', async () => {
    await home.write({ 'photos/a.jpg': 'new', 'photos/deep/b.jpg': 'b', 'photos/e\u0301.jpg': 'c' });
    symlinkSync('/etc/passwd', at('photos/link\u001b[2J'));
    utimesSync(at('photos/deep/b.jpg'), 0, 0);
    objects.set('p/deep/b.jpg', 'b');
    objects.set('p/kept.jpg', 'kept');
    const { code, stdout, stderr } = await run(['put', 'v', 'photos', '/p//', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { volume: 'v', files: 2, bytes: 4, skipped: 1 }]);
    expect(stored()).toEqual(expect.arrayContaining(['PUT /store/p/a.jpg', 'PUT /store/p/é.jpg']));
    // Fails when a link is followed: what lies outside of the folder would be uploaded.
    expect(stored()).toHaveLength(2);
    // Fails when a warning quotes a name as it is.
    expect(stderr).toBe('▲ link is skipped: it is not a file.\n');
    expect(objects.get('p/kept.jpg')).toBe('kept');
    await run(['put', 'v', 'photos', 'p', '--all']);
    expect(stored()).toHaveLength(5);
  });

  test('a file gets its own name, that of the path, or its own below the path', async () => {
    // Fails when the name isn't normalized: macOS names files in parts that look the same and are other bytes.
    const name = 'e\u0301.txt';
    await home.write({ [name]: 'text' });
    for (const target of [[], ['b.txt'], ['into/']]) await run(['put', 'v', name, ...target]);
    expect(stored()).toEqual(['PUT /store/\u00e9.txt', 'PUT /store/b.txt', 'PUT /store/into/\u00e9.txt']);
  });

  test('what is not there is said, before the server is asked', async () => {
    const { code, stderr } = await run(['put', 'v', 'missing']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^✗ \/.*missing does not exist\.\n$/)]);
    expect(server.requests).toEqual([]);
  });

  test('a file that is refused fails the command, and no other is begun', async () => {
    await home.write({ 'many/a': '1', 'many/b': '2', 'many/c': '3' });
    server.on('PUT /store/a', answerJson(507, { detail: 'The volume is full.' }));
    const { code, stdout, stderr } = await run(['put', 'v', 'many', '--parallel', '1']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The volume is full.')]);
    expect(stored()).toHaveLength(1);
  });
});

describe('rm', () => {
  test('of one object deletes that one after a yes', async () => {
    const bodies: unknown[] = [];
    server.on('POST /v1/volume/delete-object', async (exchange) => {
      bodies.push(await exchange.json());
      await answerJson(200, { detail: 'Deleted.' })(exchange);
    });
    const remove = (answer: boolean) => run(['rm', 'v', 'a'], { prompts: { confirm: async () => answer } });
    expect(await remove(false)).toMatchObject({ code: 1, stdout: '' });
    // Fails when the answer isn't obeyed.
    expect(bodies).toEqual([]);
    expect(await remove(true)).toMatchObject({ code: 0, stdout: 'Deleted.\n' });
    expect(bodies).toEqual([{ volume: 'v', path: 'a' }]);
  });

  test('of many stops at the first that can’t be deleted', async () => {
    fill('a/1', 'a/2', 'a/3');
    server.on('POST /v1/volume/delete-object', answerJson(403, { detail: 'Read only.' }));
    const { code, stdout, stderr } = await run(['rm', 'v', 'a', '-r', '-y']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('Read only.')]);
  });
});
