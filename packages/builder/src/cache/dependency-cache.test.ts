import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderArtifact } from '@berth/runtime';
import { describe, expect, test } from 'vitest';
import type { BuildResult } from '../port/builder.ts';
import { type BuilderFixture, createBuilderFixture, OWNER } from '../testing/builder-fixture.ts';

/** A fake npm that installs one package, and runs `build.js` for `npm run build`. */
const NPM = `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv[2] === 'run') return require(process.cwd() + '/build.js');
if (fs.existsSync('fail-install')) process.exit(7);
fs.mkdirSync('node_modules/greeting', { recursive: true });
fs.writeFileSync('node_modules/greeting/index.js', 'module.exports = "hello"');
fs.mkdirSync('node_modules/.bin');
fs.symlinkSync('../greeting/index.js', 'node_modules/.bin/greet');
fs.mkdirSync(process.env.HOME + '/.npm', { recursive: true });
fs.writeFileSync(process.env.HOME + '/.npm/cached', 'x'.repeat(1000));
`;

const manifest = (build?: string) =>
  JSON.stringify({
    scripts: { start: 'node server.js', ...(build === undefined ? {} : { build }) },
    dependencies: { greeting: '1', lib: 'file:vendor/lib.tgz' },
  });

const APP = {
  'package.json': manifest(),
  'package-lock.json': '{"lockfileVersion": 3}',
  'vendor/lib.tgz': '1',
  'server.js': `require('node:http').createServer((q, r) => r.end(require('greeting'))).listen(process.env.PORT, '0.0.0.0');`,
};
const BUILT_APP = { ...APP, 'package.json': manifest('x'), 'build.js': '' };

/** Any user except root; only root can run commands as another user. */
const OTHER_USER = 61_000;
const isRoot = process.geteuid?.() === 0;

const withNpm = (options = {}) => createBuilderFixture({ programs: { npm: NPM }, ...options });
const titles = ({ sandbox }: BuilderFixture) => sandbox.commands.map(({ argv }) => argv.join(' '));
const entries = ({ root }: BuilderFixture, owner = OWNER) =>
  readdir(join(root, 'cache', owner.account, owner.deployment, 'dependencies')).catch(() => []);

describe('dependencies', () => {
  test('are not reinstalled when unchanged', async () => {
    await using fixture = await withNpm();
    await fixture.build(APP);
    const again = await fixture.build({ ...APP, 'new.txt': 'a change' });
    expect(titles(fixture)).toEqual(['npm ci']);
    expect(again.said).toContain('Dependencies unchanged: using the cached node_modules');
    expect(await fixture.ask(again.result.artifact, '/')).toEqual({ status: 200, text: 'hello' });
    expect(again.result.artifact).toMatchObject({ sharedFolders: ['node_modules'] });
  });

  test.each([
    ['another lock file', { 'package-lock.json': '{"lockfileVersion": 2}' }],
    ['another package.json', { 'package.json': manifest().replace('"1"', '"2"') }],
    ['a registry', { '.npmrc': 'registry=https://elsewhere.example' }],
    ['a packed package of the source', { 'vendor/lib.tgz': '2' }],
    ['settings of the build', { 'berth.json': '{"env": {"npm_config_omit": "dev"}}' }],
  ])('are installed anew with %s', async (_what, change) => {
    await using fixture = await withNpm();
    await fixture.build(APP);
    await fixture.build({ ...APP, ...change });
    expect(titles(fixture)).toEqual(['npm ci', 'npm ci']);
  });

  test('are not shared between owners, even of one account', async () => {
    await using fixture = await withNpm();
    await fixture.build(APP);
    await fixture.build(APP, { owner: { ...OWNER, deployment: 'other' } });
    expect(titles(fixture)).toEqual(['npm ci', 'npm ci']);
  });

  test('in an upload are ignored', async () => {
    await using fixture = await withNpm();
    const { result } = await fixture.build({ ...APP, 'node_modules/greeting/index.js': 'module.exports = "foreign"' });
    expect(await fixture.ask(result.artifact, '/')).toMatchObject({ text: 'hello' });
  });

  test('of a failed install or build are not cached', async () => {
    await using fixture = await withNpm();
    await expect(fixture.build({ ...APP, 'fail-install': '' })).rejects.toMatchObject({
      message: 'npm ci failed with exit code 7',
    });
    await expect(fixture.build({ ...BUILT_APP, 'build.js': 'process.exit(1)' })).rejects.toMatchObject({
      code: 'build_failed',
    });
    expect(await entries(fixture)).toEqual([]);
  });

  test('are dropped from the cache when a build fails with them', async () => {
    await using fixture = await withNpm();
    await fixture.build(BUILT_APP);
    expect(await entries(fixture)).toHaveLength(1);
    await expect(fixture.build({ ...BUILT_APP, 'build.js': 'process.exit(1)' })).rejects.toThrow();
    expect(await entries(fixture)).toEqual([]);
  });

  test('of a truncated cache entry are reinstalled', async () => {
    await using fixture = await withNpm();
    await fixture.build(APP);
    const [key = ''] = await entries(fixture);
    await writeFile(join(fixture.root, 'cache/account_one/shop/dependencies', key, 'entry.json'), '{"folders":');
    const { said } = await fixture.build(APP);
    expect(said).toContain('$ npm ci');
    expect((await fixture.build(APP)).said).not.toContain('$ npm ci');
  });

  test('replaced by a link are neither cached nor shared', async () => {
    await using fixture = await withNpm();
    const build = `const fs = require('node:fs'); fs.rmSync('node_modules', { recursive: true }); fs.symlinkSync('/etc', 'node_modules');`;
    const { result } = await fixture.build({ ...BUILT_APP, 'build.js': build });
    expect(result.artifact).toMatchObject({ sharedFolders: [] });
    const kept = await readdir(join(fixture.root, 'cache/account_one/shop'), { recursive: true });
    expect(kept.filter((path) => path.includes('passwd'))).toEqual([]);
  });
});

const folderOf = ({ root }: BuilderFixture, { artifact }: BuildResult): string =>
  join(root, 'artifacts', (artifact as FolderArtifact).path);

describe.skipIf(!isRoot)('where programs run as another user (needs root)', () => {
  const node_modules = 'node_modules/greeting/index.js';

  test('are shared between revisions as files that only the server can write to', async () => {
    await using fixture = await withNpm({ userId: OTHER_USER });
    const one = await fixture.build(APP);
    const two = await fixture.build(APP);
    expect(titles(fixture)).toEqual(['npm ci']);
    const [first, second] = await Promise.all(
      [one, two].map(({ result }) => stat(join(folderOf(fixture, result), node_modules))),
    );
    expect(second?.ino).toBe(first?.ino);
    expect([second?.uid, (second?.mode ?? 0) & 0o022]).toEqual([0, 0]);
  });

  test('are not shared with builds that may write to them', async () => {
    await using fixture = await withNpm({ userId: OTHER_USER });
    const one = await fixture.build(BUILT_APP);
    const build = `require('node:fs').appendFileSync('${node_modules}', '+ " changed"')`;
    const two = await fixture.build({ ...BUILT_APP, 'build.js': build });
    expect(titles(fixture)).toEqual(['npm ci', 'npm run build', 'npm run build']);
    expect(await fixture.ask(one.result.artifact, '/')).toMatchObject({ text: 'hello' });
    expect(await fixture.ask(two.result.artifact, '/')).toMatchObject({ text: 'hello changed' });
  });

  test('an artifact is readable by that user and by no other, and writable by neither', async () => {
    await using fixture = await withNpm({ userId: OTHER_USER });
    const { result } = await fixture.build({ ...APP, 'index.html': '' });
    const { uid, gid, mode } = await stat(folderOf(fixture, result));
    expect([uid, gid, mode & 0o777]).toEqual([0, OTHER_USER, 0o750]);
  });
});

describe('the size of all caches', () => {
  test('is limited; the least recently used caches and crash leftovers are removed first', async () => {
    await using fixture = await withNpm({ limits: { cacheBytes: 1_100 } });
    const other = { ...OWNER, deployment: 'other' };
    await fixture.build(APP, { owner: other });
    await expect
      .poll(() => readFile(join(fixture.root, 'cache/account_one/other/home.json'), 'utf8'))
      .toContain('1000');
    // Makes the entry the least recently used one.
    const [key = ''] = await entries(fixture, other);
    await utimes(join(fixture.root, 'cache/account_one/other/dependencies', key, 'entry.json'), 1, 1);
    await writeFile(join(fixture.root, 'cache/account_one/other/dependencies/.tmp-crashed'), '');

    await fixture.build(APP);
    await expect.poll(() => readdir(join(fixture.root, 'cache/account_one'))).toEqual(['shop']);
    expect(await entries(fixture)).toHaveLength(1);
    expect((await fixture.build(APP, { owner: other })).said).toContain('$ npm ci');
  });
});
