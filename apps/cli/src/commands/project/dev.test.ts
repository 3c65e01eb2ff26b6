import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const TIMEOUT = 60_000;

const server = (text: string) =>
  `require('node:http').createServer((request, response) => response.end('${text} ' + process.env.NODE_ENV)).listen(process.env.PORT);`;

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
  await expect.poll(() => running.stderr, { timeout: TIMEOUT }).toContain('It ended: exit code 1');
  await berth.home.write({ 'server.js': server('three') });
  await expect.poll(ask, { timeout: TIMEOUT }).toBe('three development');
  running.process.kill('SIGINT');
  expect((await running.result).code).toBe(0);
  expect(await ask()).toBeUndefined();
});

test.each([
  [{}, ['dev'], 'Nothing says how to start it'],
  [{ 'index.html': '<p>hi' }, ['dev'], 'site of files'],
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
