import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let server: ScriptedServer;
let home: TemporaryFolder;
const bodies: unknown[] = [];
beforeEach(async () => {
  bodies.length = 0;
  home = await createTemporaryFolder();
  const repository = { name: 'app', url: 'http://x/git/app.git', branch: 'main', commit: null };
  server = await createScriptedServer({
    'GET /v1/git/app': answerJson(200, repository),
    'PUT /v1/git/app': async (exchange) => {
      bodies.push(await exchange.json());
      return answerJson(200, { ...repository, branch: 'release' })(exchange);
    },
  });
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

const run = (words: string[], input = '') => runInProcess(server, words, { home: home.path, input });
const git = async (...words: string[]) => (await promisify(execFile)('git', words, { cwd: home.path })).stdout.trim();

test('setup adds the remote and the helper, once, and says what to run', async () => {
  expect(await run(['git', 'setup', 'app'])).toMatchObject({ code: 2, stderr: expect.stringContaining('git init') });
  await git('init', '-q');
  await git('config', 'credential.helper', 'store');
  await git('remote', 'add', 'berth', 'https://elsewhere.example.com/x.git');
  for (let times = 0; times < 2; times++) {
    const { code, stderr } = await run(['git', 'setup', 'app']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('git push berth main')]);
  }
  expect(await git('remote', 'get-url', 'berth')).toBe(`${server.url}/git/app.git`);
  const helpers = await git('config', '--get-all', `credential.${server.url}.helper`);
  expect(helpers).toBe(`!/bin/berth git credential --url ${server.url}`);
  const { stderr } = await run(['git', 'setup', 'app', '--branch', 'release', '--remote', 'live']);
  expect(stderr).toContain('git push live HEAD:release');
  expect(bodies).toEqual([{ branch: 'release' }]);
  expect((await run(['git', 'setup', 'app', '--remote', '--upload-pack=x'])).code).toBe(2);
  const { stdout } = await run(['git', 'setup', 'app', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ remote: 'berth', branch: 'main', url: `${server.url}/git/app.git` });
});

test('credential gives the key to the server that it is for, and to no other', async () => {
  const { host } = new URL(server.url);
  const ask = (protocol: string, asked: string, operation = 'get') =>
    run(['git', 'credential', operation], `protocol=${protocol}\nhost=${asked}\n\n`);
  expect(await ask('http', host)).toMatchObject({ code: 0, stdout: 'username=berth\npassword=test-key\n' });
  for (const [protocol, other] of [
    ['https', host],
    ['http', 'evil.example.com'],
    ['http', `${host}.evil.example.com`],
    ['http', host.replace(/:\d+$/, '')],
    ['', ''],
  ] as const) {
    expect(await ask(protocol, other)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  }
  for (const operation of ['store', 'erase']) expect((await ask('http', host, operation)).stdout).toBe('');
});
