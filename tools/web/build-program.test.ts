import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildProgram, startFromSources } from './build-program.ts';

const FOLDER = 'apps/program';
let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-program-'));
  write('package-lock.json', '{}');
  write('package.json', '{"type":"module"}');
  write('packages/one/place.ts', 'export const place = { url: import.meta.url, folder: import.meta.dirname };');
  write(
    'apps/program/src/main.ts',
    "import { place } from '../../../packages/one/place.ts'; console.log(JSON.stringify(place));",
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

const dist = (name = '') => path.join(root, FOLDER, 'dist', name);
const run = (cwd = root) =>
  execFileSync(process.execPath, [path.join(cwd, FOLDER, 'dist/main.js')], { encoding: 'utf8' });

test('a source keeps its place, wherever the tree is moved to', async () => {
  expect(await buildProgram(root, FOLDER)).toBe(true);
  const moved = `${root}-moved`;
  execFileSync('cp', ['-a', root, moved]);
  rmSync(path.join(moved, 'packages'), { recursive: true });
  try {
    for (const tree of [root, moved]) {
      const folder = path.join(tree, 'packages/one');
      expect(JSON.parse(run(tree))).toMatchObject({ url: `file://${folder}/place.ts` });
      expect(path.resolve(JSON.parse(run(tree)).folder)).toBe(folder);
    }
  } finally {
    rmSync(moved, { recursive: true });
  }
});

test('is built again when a source, the bundler or a dependency changed, and only then', async () => {
  await buildProgram(root, FOLDER);
  write('packages/one/other.ts', 'export {};');
  expect(await buildProgram(root, FOLDER)).toBe(false);
  write('packages/one/place.ts', "export const place = 'other';");
  expect(await buildProgram(root, FOLDER)).toBe(true);
  expect(run()).toBe('"other"\n');
  write('package-lock.json', '{"lockfileVersion":3}');
  expect(await buildProgram(root, FOLDER)).toBe(true);
  rmSync(path.join(root, 'packages/one/place.ts'));
  await expect(buildProgram(root, FOLDER)).rejects.toThrow('place.ts');
  expect(run()).toBe('"other"\n');
});

test('what it starts is in the bundle too', async () => {
  write('packages/one/child.ts', "import { place } from './place.ts'; console.log(place.url);");
  write('apps/program/src/main.ts', "import '../../../packages/one/start.ts';");
  write(
    'packages/one/start.ts',
    "import { Worker } from 'node:worker_threads'; new Worker(new URL('./child.ts', import.meta.url));",
  );
  await buildProgram(root, FOLDER);
  rmSync(path.join(root, 'packages'), { recursive: true });
  expect(run()).toBe(`file://${root}/packages/one/place.ts\n`);
});

test('parts that a running program may still load stay for a week', async () => {
  write('packages/one/late.ts', "export const late = 'first';");
  write('apps/program/src/main.ts', "console.log((await import('../../../packages/one/late.ts')).late);");
  await buildProgram(root, FOLDER);
  const [part = ''] = readdirSync(dist()).filter((name) => name.startsWith('late-'));
  write('packages/one/late.ts', "export const late = 'second one';");
  await buildProgram(root, FOLDER);
  expect(run()).toBe('second one\n');
  expect(existsSync(dist(part))).toBe(true);
  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  utimesSync(dist(part), longAgo, longAgo);
  write('packages/one/late.ts', "export const late = 'the third';");
  await buildProgram(root, FOLDER);
  expect(existsSync(dist(part))).toBe(false);
});

test('a program without a bundle starts from its sources', () => {
  startFromSources(root, FOLDER);
  expect(JSON.parse(run())).toMatchObject({ folder: path.join(root, 'packages/one') });
});

test('all of node:http is there, and undici only for those who use it', async () => {
  write('packages/one/old.cjs', "module.exports = require('node:http').maxHeaderSize;");
  write(
    'apps/program/src/main.ts',
    `import http, { maxHeaderSize, globalAgent } from 'node:http';
    import old from '../../../packages/one/old.cjs';
    const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
    const hasUndici = () => moduleLoadList.some((one) => one.includes('undici'));
    const before = hasUndici();
    console.log(JSON.stringify([maxHeaderSize, old, globalAgent === http.globalAgent, before, typeof http.WebSocket, hasUndici()]));`,
  );
  await buildProgram(root, FOLDER);
  expect(JSON.parse(run())).toEqual([16_384, 16_384, true, false, 'function', true]);
});
