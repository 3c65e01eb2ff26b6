import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

const TIME = '2025-12-31T23:58:00.000Z';

const deployment = {
  ...{ name: 'app', url: 'http://app.localhost:8787', region: 'local', status: 'ready', revision: 'app-00002-abc' },
  ...{ created_at: TIME, updated_at: TIME, instances: 2, busy: 0, missing_env: ['TOKEN'], revisions: [] },
  last_deploy: { deploy_id: 'dpl_2', status: 'failed', created_at: TIME, actor: null },
};
const instance = {
  ...{ instance: 'inst_1', deployment_name: 'app', revision: 'app-00002-abc', state: 'ready', started_at: TIME },
  ...{ requests: 3, busy: false, cpu: 0.25, memory_bytes: 64 * 2 ** 20, server: null },
};
const fresh = { ...instance, instance: 'inst_2', state: 'starting', requests: 0, cpu: null, memory_bytes: null };
const deploy = {
  ...{ deploy_id: 'dpl_2', deployment: 'app', kind: 'deploy', status: 'failed', message: 'npm ci failed.' },
  ...{ code: 'build_failed', revision: 'app-00003-abc', actor: { kind: 'session', id: 'usr_1', name: 'Ann' } },
  ...{ is_cancel_requested: false, created_at: TIME, ended_at: TIME },
};
const point = { time: TIME, requests: 40, errors: 10 };

let server: ScriptedServer;
let queries: unknown[];
beforeEach(async () => {
  queries = [];
  server = await createScriptedServer({
    'GET /v1/deployment/app': answerJson(200, deployment),
    'GET /v1/deployment/list': answerJson(200, [deployment]),
    'GET /v1/deployment/instances': answerJson(200, [instance, fresh]),
    'GET /v1/deploys': answerJson(200, { deploys: [deploy], next_page_token: null }),
    'GET /v1/deployment/metrics': answerJson(200, { step_seconds: 60, points: [point, point] }),
    'GET /v1/domain/list': answerJson(200, [{ domain: 'a.example', deployment_name: 'app', status: 'pending' }]),
    'GET /v1/schedule/list': answerJson(200, [
      { deployment_name: 'other', last_run: { status: 'failed', scheduled_at: TIME } },
      { deployment_name: 'app', last_run: { status: 'failed', scheduled_at: TIME } },
    ]),
    'GET /v1/activity': answerJson(200, {
      ...{ start: TIME, step_seconds: 60, is_complete: true },
      deployments: [{ name: 'app', requests: [40, 40], errors: [10, 10] }],
    }),
    'POST /v1/deployment/logs': async (exchange) => {
      queries.push(await exchange.json());
      await answerJson(200, { logs: [{ message: 'The service exited with code 1.' }], cursor: null })(exchange);
    },
  });
  return () => server.close();
});

const run = (...words: string[]) => runInProcess(server, words);

// Fails when one of the six causes is left out, or the schedule of another deployment is told as this one's.
test('status of a deployment tells how it is and everything that needs attention', async () => {
  const { code, stdout, stderr } = await run('status', 'app');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    'app  ready  app-00002-abc serves with 2 instances.',
    'http://app.localhost:8787',
    '',
    'Revision     app-00002-abc',
    'Instances    1 ready, 1 starting',
    'Last deploy  deploy failed (build_failed) 2m ago by Ann',
    'Last hour    80 requests, 20 errors',
    '',
    '▲ The last deploy of app failed: npm ci failed.',
    '  berth follow dpl_2',
    '▲ app requires the variable TOKEN.',
    '  berth env set app TOKEN=VALUE',
    '▲ app crashed or failed to start once in the last hour: The service exited with code 1.',
    "  berth logs app --since 1h -q 'severity>=ERROR'",
    '▲ 20 of 80 requests to app failed in the last hour.',
    "  berth logs app --since 1h -q 'httpRequest.status>=500'",
    `▲ The scheduled run of app at ${TIME} failed.`,
    '  berth cron history app',
    "▲ The domain a.example of app isn't verified.",
    '  berth domain verify a.example',
    '',
  ]);
  // The failed deploy is told already, so its start failures are not counted again.
  expect(queries).toEqual([
    {
      ...{ deployment_name: 'app', since: '2025-12-31T23:00:00.000Z', limit: 100 },
      query: 'log_name="system" AND severity>=ERROR AND NOT resource.labels.revision_name="app-00003-abc"',
    },
  ]);
  const json = JSON.parse((await run('status', 'app', '--json')).stdout);
  expect(json).toMatchObject({ name: 'app', last_hour: { requests: 80, errors: 20 }, last_deploy: { kind: 'deploy' } });
  expect(json.instance_list).toHaveLength(2);
  expect(json.attention.map(({ code }: { code: string }) => code)).toEqual([
    ...['deploy_failed', 'variable_missing', 'crashed', 'errors_high', 'schedule_failed', 'domain_unverified'],
  ]);
});

test('status works with a key that may not read logs, and says when nothing needs attention', async () => {
  server.on('POST /v1/deployment/logs', answerJson(403, { detail: 'This key may not read logs.' }));
  server.on('GET /v1/deployment/app', answerJson(200, { ...deployment, missing_env: [], instances: 0 }));
  server.on('GET /v1/deploys', answerJson(200, { deploys: [{ ...deploy, status: 'done', code: null }] }));
  server.on('GET /v1/deployment/metrics', answerJson(200, { step_seconds: 60, points: [] }));
  for (const route of ['GET /v1/domain/list', 'GET /v1/schedule/list', 'GET /v1/deployment/instances']) {
    server.on(route, answerJson(200, []));
  }
  const { code, stdout } = await run('status', 'app');
  expect(code).toBe(0);
  expect(stdout).toContain('No instance of app-00002-abc runs; the next request starts one.');
  expect(stdout).toContain('✓ Nothing needs attention.');
});

test('status without a name is the overview of the account', async () => {
  const { code, stdout } = await run('status');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME +STATUS +INSTANCES +REQUESTS \(1H\) +ERRORS \(1H\) +LAST DEPLOY +URL$/m);
  expect(stdout).toMatch(/^app +ready +2 +80 +20 +failed 2m ago +http:\/\/app\.localhost:8787$/m);
  expect(stdout).toContain('▲ 20 of 80 requests to app failed in the last hour.');
  const json = JSON.parse((await run('status', '--json')).stdout);
  expect(json.deployments).toMatchObject([{ name: 'app', last_hour: { requests: 80, errors: 20 } }]);
  server.on('GET /v1/deployment/list', answerJson(200, []));
  expect((await run('status')).stderr).toContain('No deployments yet.');
});

test('ps lists instances, of all deployments with their names, and servers where there are several', async () => {
  const one = (await run('ps', 'app')).stdout;
  expect(one).toMatch(/^INSTANCE +REVISION +STATE +STARTED +CPU +MEMORY +REQUESTS$/m);
  expect(one).toMatch(/^inst_1 +app-00002-abc +ready +2m ago +0\.25 +64 MiB +3$/m);
  expect(one).toMatch(/^inst_2 +app-00002-abc +starting +2m ago +- +- +0$/m);
  server.on('GET /v1/deployment/instances', answerJson(200, [{ ...instance, server: 'a1b2', busy: true }]));
  const all = (await run('ps')).stdout;
  expect(all).toMatch(/^NAME +INSTANCE .* SERVER$/m);
  expect(all).toMatch(/^app +inst_1 +app-00002-abc +ready \(busy\) .* 3 +a1b2$/m);
  server.on('GET /v1/deployment/instances', answerJson(200, []));
  expect((await run('ps', 'app')).stderr).toContain('No instance of app is running.');
});
