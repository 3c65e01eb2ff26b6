import { expect, test } from 'vitest';
import { type DetectionCase, detectTree, expectPlan, packageJson } from '../../testing/detect-tree.ts';

const TABLE: readonly DetectionCase[] = [
  [
    'express with a lock file',
    {
      ...packageJson({ scripts: { start: 'node server.js' }, dependencies: { express: '5' } }),
      'package-lock.json': '{}',
      'server.js': '',
    },
    'Detected Node.js (npm): npm ci, node server.js',
    ['node', 'server.js'],
  ],
  [
    'without a lock file, with a build',
    packageJson({ scripts: { start: 'node dist/a.js', build: 'tsc' }, devDependencies: { typescript: '5' } }),
    'Detected Node.js (npm): npm install, npm run build, node dist/a.js',
    ['node', 'dist/a.js'],
  ],
  [
    'nothing to install',
    { ...packageJson({ scripts: { start: 'node .' } }), 'package-lock.json': '{}' },
    'Detected Node.js (npm): node .',
    ['node', '.'],
  ],
  [
    'a start that needs a shell',
    packageJson({ scripts: { start: 'NODE_ENV=production node server.js' } }),
    'Detected Node.js (npm): NODE_ENV=production node server.js',
    ['/bin/sh', '-c', 'NODE_ENV=production node server.js'],
  ],
  [
    'a start with a prestart stays with npm',
    packageJson({ scripts: { prestart: 'node prepare.js', start: 'node server.js' } }),
    'Detected Node.js (npm): npm run start',
    ['npm', 'run', 'start'],
  ],
  [
    'a start that calls another script',
    packageJson({ scripts: { start: 'npm run serve', serve: 'node server.js' } }),
    'Detected Node.js (npm): node server.js',
    ['node', 'server.js'],
  ],
  [
    'scripts in a circle',
    packageJson({ scripts: { start: 'npm run b', b: 'npm start' } }),
    'Detected Node.js (npm): npm start',
    ['npm', 'start'],
  ],
  [
    'main',
    { ...packageJson({ main: './lib/x.js' }), 'lib/x.js': '' },
    'Detected Node.js (npm): node lib/x.js',
    ['node', 'lib/x.js'],
  ],
  [
    'main without extension',
    { ...packageJson({ main: 'x' }), 'x.js': '' },
    'Detected Node.js (npm): node x.js',
    ['node', 'x.js'],
  ],
  [
    'a main that the build makes',
    packageJson({ main: 'dist/main.js', scripts: { build: 'tsc' } }),
    'Detected Node.js (npm): npm run build, node dist/main.js',
    ['node', 'dist/main.js'],
  ],
  [
    'server.js',
    { ...packageJson({}), 'server.js': '' },
    'Detected Node.js (npm): node server.js',
    ['node', 'server.js'],
  ],
  ['a lone server.js', { 'server.js': '' }, 'Detected Node.js: node server.js', ['node', 'server.js']],
  [
    'pnpm, not installed here',
    {
      ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }),
      'pnpm-lock.yaml': "lockfileVersion: '6.0'",
    },
    'Detected Node.js (pnpm): pnpm install --frozen-lockfile, node a',
    ['node', 'a'],
  ],
  [
    'yarn',
    {
      ...packageJson({ scripts: { start: 'yarn serve', serve: 'node a' }, dependencies: { a: '1' } }),
      'yarn.lock': '# yarn lockfile v1',
    },
    'Detected Node.js (yarn): yarn install --frozen-lockfile, node a',
    ['node', 'a'],
  ],
  [
    'a later yarn',
    {
      ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }),
      'yarn.lock': '__metadata:\n  version: 8',
    },
    'Detected Node.js (yarn): yarn install --immutable, node a',
    ['node', 'a'],
  ],
  [
    'bun.lockb without bun',
    { ...packageJson({ scripts: { start: 'node a' }, dependencies: { a: '1' } }), 'bun.lockb': '#!/usr/bin/env bun' },
    'Detected Bun: npm install bun@1, bun install --frozen-lockfile, node a',
    ['node', 'a'],
  ],
  [
    'next without a start script',
    packageJson({ scripts: { build: 'next build' }, dependencies: { next: '16' } }),
    'Detected Node.js (npm): npm install, npm run build, next start',
    ['next', 'start'],
  ],
  [
    'vite: a site to build',
    {
      ...packageJson({
        scripts: { dev: 'vite', build: 'vite build', preview: 'vite preview' },
        devDependencies: { vite: '8' },
      }),
      'index.html': '',
    },
    'Detected a site built with Node.js (npm): npm install, npm run build, serve the generated site',
    null,
  ],
  [
    'a start script that is a development server',
    packageJson({ scripts: { start: 'react-scripts start', build: 'react-scripts build' } }),
    'Detected a site built with Node.js (npm): npm run build, serve the generated site',
    null,
  ],
  [
    'a plain site with a package.json for its tools and a script of its own',
    { ...packageJson({ main: 'app.js' }), 'index.html': '', 'app.js': 'document.title = 1' },
    'Detected a static site: serve its files',
    null,
  ],
  [
    'a server that also has an index.html',
    { ...packageJson({ main: 'app.js' }), 'index.html': '', 'app.js': 'http.createServer(() => {})' },
    'Detected Node.js (npm): node app.js',
    ['node', 'app.js'],
  ],
  // Fails when a page's script is detected as a server: without `isDeveloped` in `hasPage` of findNodeStart.
  [
    'angular: a site, whose main.ts runs in the browser',
    {
      ...packageJson({ scripts: { start: 'ng serve', build: 'ng build' }, dependencies: { '@angular/core': '20' } }),
      'src/index.html': '',
      'src/main.ts': 'bootstrapApplication(App)',
    },
    'Detected a site built with Node.js (npm): npm install, npm run build, serve the generated site',
    null,
  ],
  // Fails when src/server.ts or the development server is started: without BUILT_SERVER_SCRIPTS.
  [
    'angular with a server',
    {
      ...packageJson({
        scripts: { start: 'ng serve', build: 'ng build', 'serve:ssr:app': 'node dist/app/server/server.mjs' },
      }),
      'src/server.ts': 'app.listen(port)',
    },
    'Detected Node.js (npm): npm run build, node dist/app/server/server.mjs',
    ['node', 'dist/app/server/server.mjs'],
  ],
  // Fails when `docusaurus start` or `eleventy --serve` is missing from the development servers.
  ...['docusaurus start', 'eleventy --serve', 'rsbuild dev --open'].map(
    (start): DetectionCase => [
      `a development server: ${start}`,
      packageJson({ scripts: { start, build: 'b' } }),
      'Detected a site built with Node.js (npm): npm run build, serve the generated site',
      null,
    ],
  ),
  [
    'qwik with a server',
    packageJson({
      scripts: { start: 'vite --open --mode ssr', build: 'qwik build', serve: 'node server/entry.express' },
      devDependencies: { '@builder.io/qwik-city': '1' },
    }),
    'Detected Node.js (npm): npm install, npm run build, node server/entry.express',
    ['node', 'server/entry.express'],
  ],
  [
    'qwik as a static site',
    {
      ...packageJson({
        scripts: { start: 'vite --open --mode ssr', build: 'qwik build' },
        devDependencies: { '@builder.io/qwik-city': '1' },
      }),
      'adapters/static/vite.config.ts': '',
    },
    'Detected a site built with Node.js (npm): npm install, npm run build, serve the generated site',
    null,
  ],
  [
    'sveltekit with an adapter for static files',
    packageJson({
      scripts: { build: 'vite build' },
      devDependencies: { '@sveltejs/adapter-auto': '7', '@sveltejs/adapter-static': '3' },
    }),
    'Detected a site built with Node.js (npm): npm install, npm run build, serve the generated site',
    null,
  ],
];

test.each(TABLE)('%s', async (_what, tree, shown, start) => {
  expectPlan(await detectTree(tree), shown, start);
});

// Fails when adapter-auto gets no platform: the build then makes nothing that could be served.
test('sveltekit as it is created builds its Node server', async () => {
  const plan = await detectTree(
    packageJson({
      scripts: { dev: 'vite dev', build: 'vite build' },
      devDependencies: { '@sveltejs/adapter-auto': '7' },
    }),
  );
  expectPlan(plan, 'Detected Node.js (npm): npm install, npm run build, node build/index.js', [
    'node',
    'build/index.js',
  ]);
  expect(plan?.buildEnv).toEqual({ GCP_BUILDPACKS: '1' });
  expect(plan?.notices).toEqual([expect.stringContaining('@sveltejs/adapter-node')]);
});

// Fails when the project is detected as a site: the build then ends without a page and without an explanation.
test('qwik without an adapter is refused with the command that adds one', async () => {
  const tree = packageJson({
    scripts: { start: 'vite --open --mode ssr', build: 'qwik build' },
    devDependencies: { '@builder.io/qwik-city': '1' },
  });
  await expect(detectTree(tree)).rejects.toThrow('npm run qwik add node-server');
});

test.each([
  ['next', 'HOSTNAME'],
  // Fails without the variable: fastify-cli listens on the loopback interface and doesn't read HOST.
  ['fastify-cli', 'FASTIFY_ADDRESS'],
])('%s is told to listen on every interface by %s', async (dependency, variable) => {
  const plan = await detectTree(packageJson({ scripts: { start: 'a' }, dependencies: { [dependency]: '1' } }));
  expect(plan?.env).toMatchObject({ HOST: '0.0.0.0', [variable]: '0.0.0.0' });
});

test('dependencies are cached by package.json and the lock file', async () => {
  const plan = await detectTree({
    ...packageJson({ main: 'a.js', dependencies: { a: '1' } }),
    'a.js': '',
    'package-lock.json': '{}',
  });
  expect(plan?.dependencies).toEqual({
    folders: ['node_modules'],
    lockFiles: ['package.json', '.npmrc', 'package-lock.json'],
    isPinned: true,
  });
  expect(plan).toMatchObject({ sharedFolders: ['node_modules'], env: { NODE_ENV: 'production', HOST: '0.0.0.0' } });
});

test.each([
  ['an install script', { scripts: { start: 'a', postinstall: 'prisma generate' } }],
  ['workspaces', { scripts: { start: 'a' }, workspaces: ['packages/*'] }],
  ['a folder of the source', { scripts: { start: 'a' }, dependencies: { lib: 'file:./lib' } }],
])('and not with %s', async (_what, fields) => {
  expect((await detectTree(packageJson({ dependencies: { a: '1' }, ...fields })))?.dependencies).toBeNull();
});

test('a packed package of the source counts as a lock file does', async () => {
  const inputs = async (version: string) =>
    (await detectTree(packageJson({ scripts: { start: 'a' }, dependencies: { lib: version } })))?.dependencies;
  const good = { lockFiles: ['package.json', '.npmrc', 'vendor/lib-1.0.0.tgz'], isPinned: false };
  expect(await inputs('file:vendor/lib-1.0.0.tgz')).toMatchObject(good);
  expect(await inputs('file:./vendor/lib-1.0.0.tgz')).toMatchObject(good);
  for (const other of ['file:../lib.tgz', 'file:vendor/../../lib.tgz', 'file:/lib.tgz', 'file:~/lib.tgz']) {
    expect(await inputs(other)).toBeNull();
  }
});

test('git hooks do not count as an install script', async () => {
  const plan = await detectTree(packageJson({ scripts: { start: 'a', prepare: 'husky' }, dependencies: { a: '1' } }));
  expect(plan?.dependencies).not.toBeNull();
});

test('pnpm comes by npx in the version that reads the lock file', async () => {
  const tree = {
    ...packageJson({ scripts: { start: 'a' }, dependencies: { a: '1' } }),
    'pnpm-lock.yaml': "lockfileVersion: '6.0'",
  };
  const plan = await detectTree(tree);
  expect(plan?.install[0]?.argv).toEqual(['npx', '--yes', 'pnpm@8', 'install', '--frozen-lockfile']);
  expect((await detectTree(tree, ['node', 'pnpm']))?.install[0]?.argv).toEqual([
    'pnpm',
    'install',
    '--frozen-lockfile',
  ]);
});
