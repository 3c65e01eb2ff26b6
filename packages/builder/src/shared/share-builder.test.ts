import { lstat, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { createSystemClock } from '@berth/kit';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import type { FolderArtifact } from '@berth/runtime';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import type { Needed } from '../port/builder.ts';
import { buildArchive } from '../testing/build-tar.ts';
import { createBuilderFixture, OWNER } from '../testing/builder-fixture.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';

/** Makes, in its build, what a tree can contain. */
const PROJECT = {
  'berth.json': JSON.stringify({ build: 'node make.js', start: 'node server.js' }),
  'package.json': JSON.stringify({ name: 'shop' }),
  'server.js': "require('node:http').createServer((_, r) => r.end('hello')).listen(process.env.PORT)",
  'make.js': `
    const fs = require('node:fs');
    fs.mkdirSync('empty/inner', { recursive: true });
    fs.mkdirSync('.venv/bin', { recursive: true });
    fs.writeFileSync('.venv/bin/app', '#!' + process.cwd() + '/.venv/bin/python\\n', { mode: 0o755 });
    fs.symlinkSync('/usr/bin/env', '.venv/bin/python');
    fs.symlinkSync('../server.js', 'empty/link');
    fs.writeFileSync('secret', 'x', { mode: 0o600 });
    fs.linkSync('server.js', 'twin.js');
    fs.writeFileSync('big', Buffer.alloc(300000, 7));
    fs.writeFileSync('ü'.repeat(80) + '.txt', 'long name');
    fs.utimesSync('big', 1000, 1000);
    fs.utimesSync('empty', 2000, 2000);
  `,
};

/** Two servers with one object store. */
async function setup(wrap: (store: ObjectStore) => ObjectStore = (store) => store) {
  const folder = await createTemporaryFolder();
  const clock = createSystemClock();
  const store = createFsObjectStore({ folder: folder.path, clock });
  const objects = wrap(store);
  const [one, two] = [await createBuilderFixture({ objects }), await createBuilderFixture({ objects })];
  return {
    store,
    one,
    two,
    /** Names of the shared objects of a kind. */
    names: async (storageId: 'archives' | 'artifacts') =>
      (await store.list({ account: 'builds', storageId }, { limit: 100 })).objects.map(({ path }) => path),
    /** The file of a shared artifact. */
    fileOf: ({ stored }: FolderArtifact) => join(folder.path, 'builds/artifacts', stored?.object ?? ''),
    async [Symbol.asyncDispose]() {
      await one[Symbol.asyncDispose]();
      await two[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const signal = new AbortController().signal;
const notices: string[] = [];
const options = { signal, onNotice: (message: string) => void notices.push(message) };
const treeOf = (root: string, { path }: FolderArtifact) => join(root, 'artifacts', path);

/** Describes every entry of a tree, with hard links as their first name. */
async function describeTree(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const inodes = new Map<number, string>();
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    const file = join(root, name);
    const stats = await lstat(file);
    const mode = (stats.mode & 0o7777).toString(8);
    const seconds = Math.floor(stats.mtimeMs / 1_000);
    if (stats.isDirectory()) found[name] = `folder ${mode} ${seconds}`;
    else if (stats.isSymbolicLink()) found[name] = `-> ${await readlink(file)}`;
    else {
      const same = inodes.get(stats.ino);
      inodes.set(stats.ino, name);
      found[name] = same ? `= ${same}` : `${mode} ${seconds} ${await readFile(file, 'base64')}`;
    }
  }
  return found;
}

const build = async (fixture: Awaited<ReturnType<typeof createBuilderFixture>>, revision = 'r1') => {
  const { result } = await fixture.build(PROJECT, { revision });
  return result.artifact as FolderArtifact & Required<Pick<FolderArtifact, 'stored'>>;
};

describe('an artifact', () => {
  // Fails without any part of pack and unpack, and when scripts keep the path of the server that built them.
  test('that one server built is the same on another', async () => {
    await using servers = await setup();
    const { one, two } = servers;
    const artifact = await build(one);
    expect(await servers.names('artifacts')).toEqual([artifact.stored.object]);
    await two.builder.shared?.ensure(artifact, options);
    expect(notices.at(-1)).toMatch(/^Fetching the build result, \d/);
    const [here, there] = [treeOf(one.root, artifact), treeOf(two.root, artifact)];
    const script = await readFile(join(there, '.venv/bin/app'), 'utf8');
    expect(script).toBe(`#!${there}/.venv/bin/python\n`);
    const [built, fetched] = [await describeTree(here), await describeTree(there)];
    const own = ({ ['.venv/bin/app']: _script, ['.venv/bin']: _folder, ...rest }: Record<string, string>) => rest;
    expect(own(fetched)).toEqual(own(built));
    expect(Object.keys(built)).toContain('empty/inner');
    expect(built['twin.js']).toBe('= server.js');
    expect(await readdir(join(two.root, 'archives'))).toEqual([]);
    expect((await two.ask(artifact, '/')).text).toBe('hello');
    // The second time it is here, whatever becomes of the object.
    await servers.store.delete({ account: 'builds', storageId: 'artifacts' }, artifact.stored.object);
    await two.builder.shared?.ensure(artifact, options);
  });

  // Fails when each waiting start fetches by itself.
  test('is fetched once for all that wait, and one that gives up does not end it', async () => {
    let opened = 0;
    await using servers = await setup((store) => ({
      ...store,
      open: (...args) => {
        opened++;
        return store.open(...args);
      },
    }));
    const artifact = await build(servers.one);
    const impatient = new AbortController();
    const waiting = [1, 2, 3].map(() => servers.two.builder.shared?.ensure(artifact, options));
    const gone = servers.two.builder.shared?.ensure(artifact, { ...options, signal: impatient.signal });
    impatient.abort(new Error('no longer wanted'));
    await expect(gone).rejects.toThrow('no longer wanted');
    await Promise.all(waiting);
    expect(opened).toBe(1);
  });

  // Fails when the checksum is not compared, or a failed fetch leaves something that looks complete.
  test('whose object is damaged is refused, and fetched once it is repaired', async () => {
    await using servers = await setup();
    const { two } = servers;
    const artifact = await build(servers.one);
    const file = servers.fileOf(artifact);
    const bytes = await readFile(file);
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8((damaged.at(bytes.length >> 1) ?? 0) ^ 1, bytes.length >> 1);
    for (const wrong of [damaged, bytes.subarray(0, 100)]) {
      await writeFile(file, wrong);
      await expect(two.builder.shared?.ensure(artifact, options)).rejects.toMatchObject({
        code: 'start_failed',
        message: expect.stringMatching(/couldn't be fetched. It is damaged in the object store.* Deploy again.$/),
      });
      expect(await two.artifacts()).toEqual([]);
      expect(await readdir(join(two.root, 'archives'))).toEqual([]);
    }
    await rm(file);
    await expect(two.builder.shared?.ensure(artifact, options)).rejects.toThrow('It is not in the object store.');
    await writeFile(file, bytes);
    await two.builder.shared?.ensure(artifact, options);
    expect(await two.local.copies.has(artifact)).toBe(true);
  });

  // Fails when the presence of a folder is taken for a complete artifact: what a killed build left would be started.
  test('takes the place of what an interrupted build or another build of the revision left', async () => {
    await using servers = await setup();
    const { one, two } = servers;
    const artifact = await build(one);
    await mkdir(treeOf(two.root, artifact), { recursive: true });
    await writeFile(join(treeOf(two.root, artifact), 'half'), '');
    expect(await two.local.copies.has(artifact)).toBe(false);
    await two.builder.shared?.ensure(artifact, options);
    expect(await readdir(treeOf(two.root, artifact))).not.toContain('half');

    const other = await build(two);
    expect(other.stored.object).not.toBe(artifact.stored.object);
    expect(await two.local.copies.has(artifact)).toBe(false);
    await two.builder.shared?.ensure(artifact, options);
    // The one that lost its deploy removes its own object, and not the copy that serves.
    await two.builder.remove(other);
    expect(await two.local.copies.has(artifact)).toBe(true);
    expect(await servers.names('artifacts')).toEqual([artifact.stored.object]);
  });

  // Fails when a build whose result can't be stored leaves a folder, or ends with a code that no deploy may have.
  test('that can not be stored is no artifact', async () => {
    await using servers = await setup((store) => ({
      ...store,
      put: async (place, ...rest) => {
        if (place.storageId === 'artifacts') throw createError('insufficient_storage', 'The object store is full.');
        return store.put(place, ...rest);
      },
    }));
    await expect(build(servers.one)).rejects.toMatchObject({
      code: 'build_failed',
      message: "The build result couldn't be stored. The object store is full. Deploy again.",
    });
    expect(await servers.one.artifacts()).toEqual([]);
  });

  test('that was never stored is on its own server alone, until that one stores it', async () => {
    await using servers = await setup();
    const { stored: _stored, ...old } = await build(servers.one);
    await servers.one.builder.shared?.ensure(old, options);
    await expect(servers.two.builder.shared?.ensure(old, options)).rejects.toMatchObject({ code: 'start_failed' });
    expect(await servers.two.builder.shared?.share(old)).toBeUndefined();
    const shared = await servers.one.builder.shared?.share(old);
    if (!shared) throw new Error('the server has it, and stores it');
    await servers.two.builder.shared?.ensure(shared, options);
    expect(await servers.two.local.copies.has(shared)).toBe(true);
    expect(await servers.one.builder.shared?.share(shared)).toBeUndefined();
  });
});

describe('an archive', () => {
  // Fails when it is only on the disk of the server that received it, or stays anywhere afterwards.
  test('that one server received is built by another', async () => {
    await using servers = await setup();
    const { one, two } = servers;
    const archive = await one.builder.receive(Readable.from([buildArchive(PROJECT)]));
    expect(await servers.names('archives')).toEqual([archive.object]);
    expect(await two.builder.hasArchive(archive)).toBe(true);
    const request = { owner: OWNER, archive, revision: 'r1', onLine: () => {} };
    await rm(join(one.root, 'archives'), { recursive: true });
    const { artifact } = await two.builder.build(request, { signal });
    expect(await two.local.copies.has(artifact)).toBe(true);
    expect(await readdir(join(two.root, 'archives'))).toEqual([]);
    await two.builder.discard(archive);
    expect(await servers.names('archives')).toEqual([]);
    expect(await one.builder.hasArchive(archive)).toBe(false);
    await expect(two.builder.build(request, { signal })).rejects.toMatchObject({ code: 'build_failed' });
  });

  test('that can not be stored is not received', async () => {
    await using servers = await setup((store) => ({
      ...store,
      put: () => Promise.reject(createError('insufficient_storage', 'The object store is full.')),
    }));
    const received = servers.one.builder.receive(Readable.from([buildArchive(PROJECT)]));
    await expect(received).rejects.toMatchObject({ code: 'insufficient_storage' });
    expect(await readdir(join(servers.one.root, 'archives'))).toEqual([]);
  });
});

describe('a sweep', () => {
  const DAY_MS = 24 * 3_600_000;

  // Fails when an object that a record names goes, or one of a deploy that is still being recorded.
  test('removes objects that no record names a day later, and copies after a drain', async () => {
    await using folder = await createTemporaryFolder();
    const clock = createFakeClock(Date.now());
    const objects = createFsObjectStore({ folder: folder.path, clock });
    await using fixture = await createBuilderFixture({ objects, clock });
    const [kept, lost] = [await build(fixture, 'kept'), await build(fixture, 'lost')];
    const [archive] = (await objects.list({ account: 'builds', storageId: 'archives' }, { limit: 9 })).objects;
    const needed: Needed = {
      artifacts: [kept],
      archives: [{ path: '/elsewhere', object: archive?.path ?? '', sizeBytes: 0, sha256: '' }],
      deploying: [],
    };
    const sweep = () => fixture.builder.shared?.sweep(async () => needed);
    const count = async (storageId: string) =>
      (await objects.list({ account: 'builds', storageId }, { limit: 9 })).objects.length;
    await sweep();
    expect([await count('artifacts'), await count('archives')]).toEqual([2, 2]);
    expect(await fixture.local.copies.has(lost)).toBe(true);
    clock.advance(660_000);
    await sweep();
    expect(await fixture.local.copies.has(lost)).toBe(false);
    expect(await fixture.local.copies.has(kept)).toBe(true);
    expect(await count('artifacts')).toBe(2);
    clock.advance(DAY_MS);
    const pruned = await fixture.builder.prune({ isDryRun: true, readNeeded: async () => needed });
    expect(pruned).toContainEqual({ what: 'artifacts', count: 1, sizeBytes: lost.stored.sizeBytes });
    await sweep();
    expect([await count('artifacts'), await count('archives')]).toEqual([1, 1]);
    // Fails when a copy that is needed again is still counted as unneeded.
    expect((await stat(treeOf(fixture.root, kept))).isDirectory()).toBe(true);
  });
});
