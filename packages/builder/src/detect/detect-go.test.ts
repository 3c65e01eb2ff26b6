import { expect, test } from 'vitest';
import { detectTree, type Tree } from '../testing/detect-tree.ts';

const MAIN = 'package main';
const detect = (tree: Tree, go = '1.26.0') => detectTree(tree, ['node', 'go'], { go });
const buildOf = async (tree: Tree) => (await detect(tree))?.build.map(({ title }) => title);

// Fails when a go.work isn't read, or when a module outside the project is built.
test.each<[string, Tree, string]>([
  [
    'a workspace without a go.mod',
    { 'go.work': 'go 1.24\nuse (\n\t./lib // shared\n\t./api\n)\n', 'api/main.go': MAIN },
    './api',
  ],
  ['a workspace of one line', { 'go.work': 'go 1.24\nuse ./api\n', 'api/cmd/shop/main.go': MAIN }, './api/cmd/shop'],
  ['a workspace with its root', { 'go.work': 'use .\nuse ../other\n', 'go.mod': 'module x', 'main.go': MAIN }, '.'],
])('%s', async (_what, tree, main) => {
  expect(await buildOf(tree)).toEqual([`go build -trimpath -o .berth/app ${main}`]);
});

test('several programs are refused unless a Procfile selects one', async () => {
  const tree = { 'go.work': 'use (\n./a\n./b\n)\n', 'a/main.go': MAIN, 'b/main.go': MAIN };
  await expect(detect(tree)).rejects.toMatchObject({
    code: 'build_failed',
    message: expect.stringContaining('(./a, ./b)'),
  });
  const plan = await detect({ ...tree, Procfile: 'web: b --port $PORT' });
  // Fails when a Procfile's start command prevents the build of the programs, or their folder isn't on PATH.
  expect(plan).toMatchObject({
    build: [{ title: 'go build -trimpath -o bin/ ./a ./b' }],
    start: { argv: ['b', '--port', '$PORT'] },
    binFolders: ['bin'],
  });
  const root = { 'go.mod': 'module x', 'main.go': MAIN, 'cmd/tool/main.go': MAIN, Procfile: 'web: bin/tool' };
  expect(await buildOf(root)).toEqual(['go build -trimpath -o bin/ . ./cmd/tool']);
});

test('a Go too old for the module is refused unless it can download newer ones', async () => {
  const tree = { 'go.mod': 'module x\n\ngo 1.24\n\ntoolchain go1.24.3\n', 'main.go': MAIN };
  await expect(detect(tree, '1.19.8')).rejects.toMatchObject({
    code: 'build_failed',
    message: expect.stringMatching(
      /^go\.mod asks for Go 1\.24\.3; this server has Go 1\.19\.8, .*install Go 1\.21 or newer/,
    ),
  });
  const plan = await detect(tree, '1.22.1');
  expect(plan?.buildEnv).toMatchObject({ GOTOOLCHAIN: 'auto' });
  expect(plan?.build[0]?.refusal?.message).toMatch(/^go\.mod asks for Go 1\.24\.3; this server has Go 1\.22\.1/);
  expect(await detect({ ...tree, 'go.mod': 'module x\ngo 1.18\n' }, '1.19.8')).toBeDefined();
});
