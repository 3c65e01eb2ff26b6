import { answerJson, createScriptedServer, deployEvent, type ScriptedServer } from '@berth/client/testing';
import type { Traffic } from '@berth/contract';
import { beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

let server: ScriptedServer;
const sent: unknown[] = [];
const traffic: Traffic = {
  split: [
    { revision: 'app-1', percent: 90 },
    { revision: 'app-2', percent: 10 },
  ],
  tags: [{ tag: 'beta', revision: 'app-2', url: 'http://beta---app.localhost' }],
  canary: null,
};

beforeEach(async () => {
  sent.length = 0;
  server = await createScriptedServer();
  server.on('POST /v1/deployment/traffic', async (exchange) => {
    sent.push(await exchange.json());
    await answerJson(200, traffic)(exchange);
  });
  const revisions = [{ revision: 'app-2', status: 'ready', created_at: '', digest: null }];
  server.on('GET /v1/deployment/app', answerJson(200, { name: 'app', revision: 'app-1', revisions, traffic }));
  return () => server.close();
});

test('shows the split with the addresses of tags', async () => {
  const { stdout, stderr, code } = await runInProcess(server, ['traffic', 'app']);
  expect([code, sent]).toEqual([0, []]);
  expect(stdout).toMatch(/app-1 \(current\) +90% +-\n.*app-2 +10% +beta/);
  expect(stdout).toMatch(/beta +app-2 +http:\/\/beta---app\.localhost/);
  expect(stderr).toContain('berth traffic app --to latest');
  const json = await runInProcess(server, ['traffic', 'app', '--json']);
  expect(JSON.parse(json.stdout)).toEqual(traffic);
});

test('sends shares, tags and removals', async () => {
  const words = ['--to', 'app-2=10%', '--to', 'app-3=5', '--tag', 'beta=app-2', '--untag', 'old'];
  expect((await runInProcess(server, ['traffic', 'app', ...words])).code).toBe(0);
  const split = { 'app-2': 10, 'app-3': 5 };
  expect(sent).toEqual([{ name: 'app', split, set_tags: { beta: 'app-2' }, remove_tags: ['old'] }]);
});

test.each([
  ['--to', 'app-2=101'],
  ['--to', 'app-2=1.5'],
  ['--to', 'app-2='],
  ['--tag', 'beta'],
])('refuses %s %s', async (flag, value) => {
  const { code, stderr } = await runInProcess(server, ['traffic', 'app', flag, value]);
  expect([code, sent]).toEqual([2, []]);
  expect(stderr).toContain(`${flag} ${value}: give `);
});

test('a revision alone gets all traffic, as by a rollback; the current one ends the split', async () => {
  const rolledBack: unknown[] = [];
  const preview = { from: 'app-1', to: 'app-2', build: null, settings: [], schedule: null };
  const rest = { volumes: [], created_volumes: [], variables: [] };
  server.on('GET /v1/deployment/rollback/preview', answerJson(200, { ...preview, ...rest }));
  server.on('POST /v1/deployment/rollback', async (exchange) => {
    rolledBack.push(await exchange.json());
    exchange.response.end(deployEvent(1, 'DONE', '', { url: 'http://app.localhost', revision: 'app-2' }));
  });
  expect((await runInProcess(server, ['traffic', 'app', '--to', 'latest', '-y'])).code).toBe(0);
  expect([rolledBack, sent]).toEqual([[{ name: 'app', revision: 'app-2' }], []]);
  expect((await runInProcess(server, ['traffic', 'app', '--to', 'app-1'])).code).toBe(0);
  expect(sent).toEqual([{ name: 'app', split: {}, set_tags: {}, remove_tags: [] }]);
  expect((await runInProcess(server, ['traffic', 'app', '--to', 'app-1', '--to', 'app-2'])).code).toBe(2);
});
