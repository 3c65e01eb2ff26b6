import { expect, test } from 'vitest';
import { createMemoryFiles } from '../testing/memory-files.ts';
import { DEFAULT_BASE_IMAGES, programsOfImages } from './base-images.ts';
import { detectImageSource } from './detect-image-source.ts';
import { type GenerateOptions, generateDockerfile } from './generate-dockerfile.ts';

type Tree = Readonly<Record<string, string>>;

async function generate(tree: Tree, options: Partial<GenerateOptions> = {}) {
  const images = options.images ?? DEFAULT_BASE_IMAGES;
  const recipe = await detectImageSource(createMemoryFiles(tree), programsOfImages(images));
  if (recipe?.kind !== 'generated') throw new Error('there is no plan');
  const { plan } = recipe;
  const lockFiles = (plan.dependencies?.lockFiles ?? []).filter((path) => tree[path] !== undefined);
  return generateDockerfile({
    plan,
    images,
    lockFiles,
    buildArgs: [],
    hasBundle: false,
    day: 20_000,
    account: 'acc_1',
    ...options,
  });
}

const packageJson = (fields: object) => JSON.stringify(fields);

/** Returns the lines of a Dockerfile without the tool settings, which are long and always the same. */
const linesOf = (text: string) =>
  text.split('\n').filter((line) => !line.startsWith('ENV CI=') && !line.startsWith('RUN grep'));

test('a locked Node project is installed from its lock file before its source comes', async () => {
  const { text, titles } = await generate(
    {
      'package.json': packageJson({ scripts: { start: 'node server.js' }, dependencies: { ws: '8' } }),
      'package-lock.json': '{}',
      'server.js': '',
    },
    { buildArgs: ['npm_config_registry'], hasBundle: true },
  );
  expect(linesOf(text)).toEqual([
    'FROM node:24-slim AS build',
    'USER 0:0',
    'WORKDIR /app',
    // Fails when accounts share the steps after the label.
    'LABEL berth.account="acc_1"',
    'COPY ["berth/ca.crt","/berth/ca.crt"]',
    'ARG npm_config_registry',
    'ENV PATH="/app/node_modules/.bin:$PATH"',
    'COPY ["app/package.json","app/package-lock.json","/app/"]',
    expect.stringMatching(/^RUN npm ci \|\| \{ echo .*; npm install; \}$/),
    'FROM node:24-slim',
    'USER 0:0',
    'ENV HOME="/home/app" NODE_ENV="production" HOST="0.0.0.0"',
    'ENV PATH="/app/node_modules/.bin:$PATH"',
    'WORKDIR /app',
    'USER 10001:10001',
    'CMD ["node","server.js"]',
    'COPY --from=build --chown=10001:10001 ["/app/","/app/"]',
    'COPY --chown=10001:10001 ["app/","/app/"]',
    '',
  ]);
  expect(Object.values(titles)).toContain('npm ci');
});

const last = (text: string) => text.slice(text.lastIndexOf('FROM '));

test('the source is copied before the build, and the build output into the image', async () => {
  const { text } = await generate({
    'package.json': packageJson({ scripts: { build: 'tsc', start: 'node dist/x.js' }, dependencies: { x: '1' } }),
    'package-lock.json': '{}',
  });
  expect(text.indexOf('RUN npm ci')).toBeLessThan(text.indexOf('COPY ["app/","/app/"]'));
  expect(text.indexOf('COPY ["app/","/app/"]')).toBeLessThan(text.indexOf('RUN npm run build'));
  expect(last(text)).not.toContain('COPY --chown=10001:10001 ["app/","/app/"]');
});

test('without a lock file, installed dependencies are cached for a day', async () => {
  const tree = { 'requirements.txt': 'flask', 'app.py': 'from flask import Flask\napp = Flask(__name__)' };
  const { text } = await generate(tree);
  expect(text).toContain('LABEL berth.day="20000"');
  expect(last(text)).toContain('FROM python:3.13-slim');
  expect(last(text)).toContain('CMD ["/bin/sh","-c","exec \\".venv/bin/python\\"');
  expect(last(text)).not.toContain('LABEL');
});

test('a Go program runs without its compiler', async () => {
  const { text } = await generate(
    { 'go.mod': 'module x', 'go.sum': '', 'main.go': 'package main' },
    { lockFiles: ['go.mod', 'go.sum'] },
  );
  expect(text.indexOf('RUN go mod download')).toBeLessThan(text.indexOf('COPY ["app/","/app/"]'));
  expect(last(text)).toMatch(/^FROM debian:13-slim\n[\s\S]*CMD \["\.\/\.berth\/app"\]\n/);
});

test('a site that is built is all that is in its image', async () => {
  const { text } = await generate({
    'package.json': packageJson({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } }),
  });
  expect(text).toContain('RUN sh /berth/find-site.sh');
  expect(last(text)).toContain('COPY --from=build --chown=10001:10001 ["/site/","/app/site/"]');
  expect(last(text)).toContain('CMD ["node","/berth/static-server.mjs","site"]');
  expect(last(text)).not.toContain('["app/"');
});

test.each<[string, Tree, string]>([
  ['a static site', { 'index.html': '' }, 'FROM node:24-slim'],
  ['a Procfile of Python', { Procfile: 'web: python3 -m http.server $PORT' }, 'FROM python:3.13-slim'],
  ['a Procfile of anything', { Procfile: 'web: ./run.sh' }, 'FROM debian:13-slim'],
  [
    'berth.json before a Dockerfile',
    { 'berth.json': '{"start": "node x.js"}', Dockerfile: 'FROM x' },
    'FROM node:24-slim',
  ],
])('%s has the base image of its start command', async (_what, tree, first) => {
  expect((await generate(tree)).text.split('\n', 1)).toEqual([first]);
});

test('a Dockerfile comes before a Procfile, whose release command it keeps', async () => {
  const files = createMemoryFiles({ Procfile: 'web: x\nrelease: y', Containerfile: 'FROM x' });
  expect(await detectImageSource(files, programsOfImages(DEFAULT_BASE_IMAGES))).toEqual({
    kind: 'own',
    dockerfile: 'Containerfile',
    text: 'FROM x',
    release: { title: 'y', argv: ['y'] },
    notices: ['The Containerfile defines the start command, so the Procfile\'s "web" is not run'],
  });
});

test.each<[string, Tree, RegExp]>([
  ['a language without an image', { 'deno.json': '{}', 'main.ts': '' }, /--base-images deno=IMAGE/],
  [
    'a variable of several lines',
    { 'berth.json': packageJson({ start: 'x', build: 'y', env: { A: 'b\nRUN c' } }) },
    /A has several lines/,
  ],
])('%s is refused', async (_what, tree, message) => {
  await expect(generate(tree)).rejects.toThrow(message);
});

test('text from a tenant cannot leave its instruction', async () => {
  const evil = '"; RUN evil \\\nRUN evil $(evil) `evil`';
  const { text } = await generate({
    'package.json': packageJson({
      name: 'x"\\$HOME',
      scripts: { start: `node "${evil.replaceAll('\n', ' ')}" && x`, build: evil },
    }),
    'server.js': '',
  });
  const keywords = text.split('\n').map((line) => line.split(' ', 1)[0]);
  expect(
    keywords.filter((word) => word !== '' && !/^(FROM|USER|WORKDIR|ENV|LABEL|COPY|RUN|CMD)$/.test(word ?? '')),
  ).toEqual([]);
  expect(text).toContain('npm_package_name="x\\"\\\\\\$HOME"');
  expect(text).not.toMatch(/^RUN evil/m);
});
