import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { supplyLibrary } from './supply-library.ts';

const NPMRC = '@berth:registry=http://localhost:8787/npm/\n';
const DEPENDENCIES = { '@berth/agent': '^0.1.0', left: '1.0.0' };
const LOCK = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'p', dependencies: DEPENDENCIES },
    'node_modules/@berth/agent': {
      ...{
        version: '0.1.0',
        resolved: 'http://localhost:8787/npm/@berth/agent/-/agent-0.1.0.tgz',
        integrity: 'sha512-x',
      },
      dependencies: { zod: '1.0.0' },
    },
    'node_modules/left': { version: '1.0.0', resolved: 'https://registry.npmjs.org/left.tgz', integrity: 'sha512-l' },
  },
};

let folder: string;
let tarball: string;
beforeEach(async () => {
  const temporary = await createTemporaryFolder();
  folder = join(temporary.path, 'project');
  tarball = join(temporary.path, 'made.tgz');
  await mkdir(folder);
  await writeFile(tarball, 'library');
  return () => temporary[Symbol.asyncDispose]();
});

const library = (version = '0.1.0') => ({
  name: '@berth/agent',
  load: async () => ({
    file: tarball,
    version,
    manifest: { dependencies: { zod: '4.0.0' }, engines: { node: '>=22' } },
  }),
});
async function supply(files: Readonly<Record<string, string>>, version?: string) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const said: string[] = [];
  const isSupplied = await supplyLibrary(folder, library(version), async (line) => void said.push(line));
  return { isSupplied, said };
}
const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
const manifest = (dependencies: object = DEPENDENCIES) => JSON.stringify({ name: 'p', dependencies });

test('a project that installs the library from a platform gets it as a file', async () => {
  const files = { 'package.json': manifest(), 'package-lock.json': JSON.stringify(LOCK), '.npmrc': NPMRC };
  const { isSupplied, said } = await supply(files);
  expect([isSupplied, said]).toEqual([true, [expect.stringContaining('@berth/agent 0.1.0')]]);
  const spec = 'file:.berth-library/berth-agent-0.1.0.tgz';
  expect(await readFile(join(folder, spec.slice(5)), 'utf8')).toBe('library');
  expect(await read('package.json')).toEqual({ name: 'p', dependencies: { ...DEPENDENCIES, '@berth/agent': spec } });
  // Fails when npm ci would ask the platform, or compare the tarball with another one's integrity.
  expect((await read('package-lock.json')).packages).toEqual({
    ...LOCK.packages,
    '': { name: 'p', dependencies: { ...DEPENDENCIES, '@berth/agent': spec } },
    'node_modules/@berth/agent': {
      ...{ version: '0.1.0', resolved: spec, dependencies: { zod: '4.0.0' }, engines: { node: '>=22' } },
    },
  });
});

test.each<[string, Record<string, string>]>([
  ['without the library', { 'package.json': manifest({ left: '1' }), '.npmrc': NPMRC }],
  [
    'with a copy of the library',
    { 'package.json': manifest({ '@berth/agent': 'file:vendor/x.tgz' }), '.npmrc': NPMRC },
  ],
  ['without .npmrc', { 'package.json': manifest() }],
  ['with another registry', { 'package.json': manifest(), '.npmrc': '@berth:registry=https://npm.example.com/\n' }],
  [
    'with a registry of another scope',
    { 'package.json': manifest(), '.npmrc': 'registry=http://localhost:8787/npm/\n' },
  ],
  ['with a package.json that is wrong', { 'package.json': '{', '.npmrc': NPMRC }],
])('a project %s stays as it is', async (_what, files) => {
  expect(await supply(files)).toEqual({ isSupplied: false, said: [] });
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(files['package.json']);
});

describe('a build fails', () => {
  test.each<[string, Record<string, string>, string | undefined, RegExp]>([
    ['that asks for another version', {}, '0.2.0', /requires @berth\/agent \^0\.1\.0, and this platform has 0\.2\.0/],
    ['with a lock file of pnpm', { 'pnpm-lock.yaml': '' }, undefined, /not with pnpm-lock\.yaml/],
  ])('%s', async (_what, more, version, message) => {
    const files = { 'package.json': manifest(), '.npmrc': NPMRC, ...more };
    await expect(supply(files, version)).rejects.toMatchObject({
      code: 'build_failed',
      message: expect.stringMatching(message),
    });
  });

  // Fails when the server writes through a link of the tenant's.
  test('with a link in the place of the library', async () => {
    const outside = join(folder, '..', 'outside');
    await mkdir(outside);
    await symlink(outside, join(folder, '.berth-library'));
    await expect(supply({ 'package.json': manifest(), '.npmrc': NPMRC })).rejects.toThrow('reserved');
    await expect(readFile(join(outside, 'berth-agent-0.1.0.tgz'))).rejects.toThrow('ENOENT');
  });
});
