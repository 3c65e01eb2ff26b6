import { execFileSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { createScriptedServer } from '@berth/client/testing';
import { expect, test } from 'vitest';
import { runBerth, startBerth } from './testing/run-berth.ts';
import { createTemporaryFolder } from './testing/temporary-folder.ts';

/** A Node on the PATH that is too old to run the sources itself. */
const oldNode = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((folder) => path.join(folder, 'node'))
  .find((file) => {
    try {
      return Number(execFileSync(file, ['-p', 'process.versions.node.split(".")[0]'])) < 24;
    } catch {
      return false;
    }
  });
const reason = 'no Node older than 24 is on the PATH';

test('an old Node hands over to the one of the repo: words, standard input and exit code pass through', async ({
  skip,
}) => {
  if (!oldNode) return skip(reason);
  await using home = await createTemporaryFolder();
  await using server = await createScriptedServer();
  const options = { cwd: home.path, node: oldNode };
  expect(await runBerth(['--version'], options)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(await runBerth(['fly'], options)).toMatchObject({ code: 2 });
  expect(await runBerth(['login', '--url', server.url], { ...options, input: 'key-on-stdin' })).toMatchObject({
    code: 1,
  });
  expect(server.headers[0]?.['x-api-key']).toBe('key-on-stdin');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('an old Node passes %s on', async (signal, code) => {
  if (!oldNode) return console.warn(`skipped: ${reason}`);
  await using home = await createTemporaryFolder();
  const { promise: isCalled, resolve } = Promise.withResolvers<void>();
  await using server = await createScriptedServer({ 'GET /v1/deployment/list': () => resolve() });
  const env = { BERTH_URL: server.url, BERTH_API_KEY: 'k' };
  const running = startBerth(['ls'], { cwd: home.path, node: oldNode, env });
  await isCalled;
  running.process.kill(signal);
  expect(await running.result).toMatchObject({ code });
});

test.each([
  ['in the repository', { 'src/main.ts': '' }, /needs Node 24 or later.*npm ci/],
  ['in the package', {}, /needs Node 22\.16 or later\. Install a newer one/],
])('without a Node that fits it says what is needed %s', async (_place, files, needed) => {
  if (!oldNode) return console.warn(`skipped: ${reason}`);
  await using home = await createTemporaryFolder();
  await cp(path.resolve(import.meta.dirname, '../bin'), path.join(home.path, 'bin'), { recursive: true });
  await home.write({ 'package.json': '{"type":"module"}', ...files });
  const launcher = path.join(home.path, 'bin/berth.js');
  try {
    execFileSync(oldNode, [launcher], { stdio: ['ignore', 'pipe', 'pipe'] });
    expect.unreachable();
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: Buffer };
    expect(status).toBe(1);
    expect(stderr.toString()).toMatch(needed);
  }
});
