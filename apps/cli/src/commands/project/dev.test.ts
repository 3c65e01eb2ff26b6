import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const TIMEOUT = 60_000;

const server = (text: string) =>
  `require('node:http').createServer((request, response) => response.end('${text} ' + process.env.NODE_ENV)).listen(process.env.PORT);`;

async function freePort(): Promise<{ readonly port: number }> {
  const socket = createServer();
  await new Promise<void>((resolve) => socket.listen(0, 'localhost', resolve));
  const { port } = socket.address() as AddressInfo;
  await new Promise((resolve) => socket.close(resolve));
  return { port };
}

test('runs what would be deployed, and again at each change, until Ctrl-C', { timeout: TIMEOUT }, async () => {
  await berth.home.write({ 'server.js': server('one'), '.gitignore': 'notes.txt\n' });
  const running = berth.start(['dev']);
  await expect.poll(() => running.stdout, { timeout: TIMEOUT }).toMatch(/http:\/\/localhost:\d+/);
  const url = running.stdout.trim();
  const ask = async () => (await fetch(url).catch(() => undefined))?.text();
  expect(await ask()).toBe('one development');
  await berth.home.write({ 'notes.txt': 'not deployed', 'node_modules/x/index.js': '' });
  await sleep(500);
  expect(running.stderr).not.toContain('changed');
  await berth.home.write({ 'server.js': server('two') });
  await expect.poll(ask, { timeout: TIMEOUT }).toBe('two development');
  expect(running.stderr).toContain('server.js changed');
  await berth.home.write({ 'server.js': 'throw new Error("broken");' });
  await expect.poll(() => running.stderr, { timeout: TIMEOUT }).toContain('The program ended: exit code 1');
  await berth.home.write({ 'server.js': server('three') });
  await expect.poll(ask, { timeout: TIMEOUT }).toBe('three development');
  running.process.kill('SIGINT');
  expect((await running.result).code).toBe(0);
  expect(await ask()).toBeUndefined();
});

// Fails when the service outlives the command: the port and the agent's data would stay in use.
test.each([
  ['SIGHUP', 0],
  ['SIGKILL', null],
] as const)('the service ends with its terminal: %s', { timeout: TIMEOUT }, async (signal, code) => {
  await berth.home.write({ 'server.js': server('one') });
  const running = berth.start(['dev']);
  await expect.poll(() => running.stdout, { timeout: TIMEOUT }).toMatch(/http:\/\/localhost:\d+/);
  const url = running.stdout.trim();
  running.process.kill(signal);
  expect((await running.result).code).toBe(code);
  const ask = () =>
    fetch(url).then(
      () => 'answers',
      () => 'is gone',
    );
  await expect.poll(ask, { timeout: TIMEOUT }).toBe('is gone');
});

test('takes its settings from berth.json and .env, and shows logs as lines', { timeout: TIMEOUT }, async () => {
  const { port } = await freePort();
  await berth.home.write({
    'berth.json': JSON.stringify({
      dev: { port, env: { ONE: 'file', TWO: 'file' } },
      required_env: ['ONE', 'SECRET', 'MISSING'],
    }),
    '.env': 'TWO=env\nSECRET="s p"\n',
    'server.js': `const { ONE, TWO, SECRET } = process.env;
      console.log(JSON.stringify({ severity: 'INFO', message: [ONE, TWO, SECRET].join(), port: 1 }));
      require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT);`,
  });
  const running = berth.start(['dev']);
  await expect.poll(() => running.stdout, { timeout: TIMEOUT }).toContain(`http://localhost:${port}`);
  expect(running.stdout).toMatch(/^\d\d:\d\d:\d\d INFO file,env,s p port=1$/m);
  expect(running.stderr).toContain('berth.json requires MISSING.');
  running.process.kill('SIGINT');
  expect((await running.result).code).toBe(0);
  await berth.home.write({ 'berth.json': '{"dev":{"prot":1}}' });
  expect((await berth.run(['dev'])).stderr).toContain('prot');
  await berth.home.write({ 'berth.json': '{"dev":{"env_file":".env.local"}}' });
  expect((await berth.run(['dev'])).stderr).toContain('.env.local does not exist');
});

test.each([
  [{}, ['dev'], 'No start command was found'],
  [{ 'index.html': '<p>hi' }, ['dev'], 'static site'],
  [{ 'server.js': '' }, ['dev', '--port', '0'], '--port'],
  [{}, ['dev', './nowhere'], 'is not a folder'],
  [
    { 'package.json': '{"scripts":{"start":"node a.js"},"dependencies":{"hono":"4"}}', 'a.js': '' },
    ['dev'],
    'Run: npm install',
  ],
])('says what is missing: %j', async (files, words, message) => {
  await berth.home.write(files as Record<string, string>);
  const { code, stderr } = await berth.run(words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});
