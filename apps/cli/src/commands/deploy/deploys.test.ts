import { answerJson, deployEvent } from '@berth/client/testing';
import type { DeploySummary } from '@berth/contract';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const done: DeploySummary = {
  deploy_id: 'dpl_2',
  deployment: 'app',
  kind: 'redeploy',
  status: 'done',
  message: 'app-00002 serves',
  code: null,
  revision: 'app-00002',
  actor: { kind: 'session', id: 'usr_1', name: 'Ann\u001b[31m' },
  is_cancel_requested: false,
  created_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:12.000Z',
};
const failed: DeploySummary = {
  ...done,
  deploy_id: 'dpl_1',
  kind: 'deploy',
  status: 'failed',
  code: 'build_failed',
  actor: { kind: 'key', id: 'key_9', name: null },
};

test('deploys lists page after page, and asks for what is wanted', async () => {
  const asked: string[] = [];
  berth.server.on('GET /v1/deploys', (exchange) => {
    const query = new URL(exchange.request.url ?? '', 'http://x').searchParams;
    asked.push(String(query));
    const page = query.has('page_token')
      ? { deploys: [failed], next_page_token: null }
      : { deploys: [done], next_page_token: 't' };
    return answerJson(200, page)(exchange);
  });
  const { stdout } = await berth.run(['deploys', 'app', '--active']);
  expect(asked).toEqual(['name=app&state=active&limit=20', 'name=app&state=active&limit=19&page_token=t']);
  expect(stdout.split('\n')[0]).toMatch(/^ID +NAME +KIND +STATUS +BY +BEGAN +TOOK +RESULT$/);
  expect(stdout).toMatch(/^dpl_2 +app +redeploy +done +Ann +\d+d ago +12s +app-00002$/m);
  expect(stdout).toMatch(/^dpl_1 +app +deploy +failed +key_9 +\d+d ago +12s +build_failed$/m);
  const lines = (await berth.run(['deploys', '--limit', '1', '--json'])).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).deploy_id)).toEqual(['dpl_2']);
  expect(await berth.run(['deploys', '--limit', 'all'])).toMatchObject({ code: 2, stdout: '' });
  const commit = { sha: '3f1c9a0b52'.repeat(4), subject: 'First', branch: 'main' };
  berth.server.on('GET /v1/deploys', answerJson(200, { deploys: [{ ...done, commit }], next_page_token: null }));
  expect((await berth.run(['deploys'])).stdout).toMatch(/ redeploy 3f1c9a0b52 +done /);
  const byDeletedKey = { ...done, actor: { kind: 'key', id: 'key_1', name: 'ci', is_deleted: true } };
  berth.server.on('GET /v1/deploys', answerJson(200, { deploys: [byDeletedKey], next_page_token: null }));
  expect((await berth.run(['deploys'])).stdout).toMatch(/ done +ci \(deleted key\) /);
  berth.server.on('GET /v1/deploys', answerJson(200, { deploys: [], next_page_token: null }));
  expect((await berth.run(['deploys'])).stderr).toContain('No deploys yet');
});

test('redeploy sends what changes and nothing else, and shows how it goes', async () => {
  const bodies: unknown[] = [];
  berth.server.on('POST /v1/deployment/redeploy', async ({ response, json }) => {
    bodies.push(await json());
    const url = 'http://app.localhost:8787';
    response.end(deployEvent(1, 'BUILDING', 'New settings') + deployEvent(2, 'DONE', 'serves', { url }));
  });
  const mounted = { '/data': { name: 'v', read_only: false, sub_path: '' } };
  berth.server.on('GET /v1/deployment/app', answerJson(200, { name: 'app', volumes: mounted }));
  const flags = '--memory 512Mi --no-http2 --health /up --volume /data=v:ro --volume /x=y --no-schedule'.split(' ');
  expect(await berth.run(['redeploy', 'app', ...flags])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('http://app.localhost:8787'),
  });
  const detaching = ['redeploy', 'app', '--no-volume', '--schedule', '0 5 * * *', '--session-affinity'];
  // Fails when `confirmDetach` is not called: the volume would go without a question.
  expect(await berth.run(detaching)).toMatchObject({ code: 2, stderr: expect.stringMatching(/Volume v .*[\s\S]*-y/) });
  await berth.run([...detaching, '-y']);
  await berth.run(['redeploy', 'app', '--volume', '/x=y', '--no-health']);
  expect((await berth.run(['redeploy', 'app', '--detach', '-q'])).stdout).toBe('dep_1\n');
  expect(bodies).toEqual([
    {
      name: 'app',
      memory: '512Mi',
      use_http2: false,
      schedule: null,
      health: '/up',
      volumes: { '/data': { name: 'v', read_only: true }, '/x': 'y' },
    },
    { name: 'app', volumes: {}, schedule: '0 5 * * *', session_affinity: true },
    { name: 'app', volumes: { ...mounted, '/x': 'y' }, health: null },
    { name: 'app' },
  ]);
  expect(await berth.run(['redeploy', 'app', '--volume', 'data'])).toMatchObject({ code: 2, stdout: '' });
});

test('scale sends the given numbers and nothing else', async () => {
  const bodies: unknown[] = [];
  berth.server.on('POST /v1/deployment/redeploy', async ({ response, json }) => {
    bodies.push(await json());
    response.end(deployEvent(1, 'DONE', 'serves', { url: 'http://app.localhost:8787' }));
  });
  const flags = '--min 1 --max 10 --concurrency 20'.split(' ');
  expect(await berth.run(['scale', 'app', ...flags])).toMatchObject({ code: 0 });
  await berth.run(['scale', 'app', '--min', '0', '--detach']);
  expect(bodies).toEqual([
    { name: 'app', min_instances: 1, max_instances: 10, concurrency: 20 },
    { name: 'app', min_instances: 0 },
  ]);
  for (const wrong of [[], ['--min', 'x'], ['--max', '-1'], ['--concurrency', '1.5']]) {
    expect(await berth.run(['scale', 'app', ...wrong])).toMatchObject({ code: 2, stdout: '' });
  }
  expect(bodies).toHaveLength(2);
});
