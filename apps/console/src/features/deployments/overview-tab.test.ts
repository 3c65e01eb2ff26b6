// @vitest-environment happy-dom
import type { DeploymentDetail, DeploySummary, MetricsPoint } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { createDeployment, createDeploySummary } from '../../testing/create-deployment.ts';
import { openView } from '../../testing/open-view.ts';
import { OverviewTab } from './overview-tab.tsx';

/** Returns the facts of the tab by their names. */
async function factsOf(changes: Partial<DeploymentDetail> = {}): Promise<Record<string, string>> {
  await openView(createElement(OverviewTab, { deployment: createDeployment(changes) }), {
    elsewhere: 'Another page',
    address: '/deployments/shop',
    answers: { 'GET /v1/deployment/metrics': () => ({ points: [], step_seconds: 60 }) },
  });
  const names = [...document.querySelectorAll('dt')];
  return Object.fromEntries(names.map((name) => [name.textContent ?? '', name.nextSibling?.textContent ?? '']));
}

// Fails when a deployment without volumes shows an empty list.
test('says what there isn’t', async () => {
  expect(await factsOf({ revision: null })).toMatchObject({ Volumes: 'None' });
});

// Fails when the instances that are kept, by min_instances or their work, and are billed, aren't told of.
test.each([
  [2, 0, '3, minimum 2'],
  [0, 1, '3, 1 working without a request'],
  [2, 1, '3, minimum 2, 1 working without a request'],
])('with %i kept instances and %i busy ones has “%s”', async (least, busy, words) => {
  expect(Object.values(await factsOf({ instances: 3, min_instances: least, busy }))).toContain(words);
});

// Fails when a volume is named without its path: two of them couldn't be told apart.
test('names what is mounted, and where', async () => {
  const mount = (name: string) => ({ name, read_only: false, sub_path: '' });
  const facts = await factsOf({ volumes: { '/data': mount('media'), '/cache': mount('scratch') }, concurrency: 1 });
  expect(facts['Volumes']).toBe('/data = media, /cache = scratch');
  expect(facts['Resources per instance']).toBe('512 MiB memory, 1 CPU');
  expect(facts['Limits']).toBe('1 concurrent request per instance, 300 s request timeout');
});

const minute = (changes: Partial<MetricsPoint>) => ({
  ...{ time: new Date().toISOString(), requests: 0, errors: 0, p50_ms: 0, p95_ms: 0, p99_ms: 0, instances: 1 },
  ...{ cold_starts: 0, cold_start_ms: null, cpu_seconds: 0, memory_bytes: 0, memory_max_bytes: 0, ...changes },
});

interface Around {
  readonly deployment?: Partial<DeploymentDetail>;
  readonly points?: readonly object[];
  readonly domains?: readonly object[];
  readonly crashes?: readonly object[];
  readonly deploys?: readonly DeploySummary[];
}

/** Opens the tab with what is around the deployment. */
const hers = createDeploySummary({ actor: { kind: 'session', id: 'usr_1', name: 'Ada' } });

async function open(around: Around = {}) {
  const { deployment = {}, points = [], domains = [], crashes = [], deploys = [hers] } = around;
  const entry = { timestamp: '2026-01-01T00:00:00Z', severity: 'INFO', message: 'GET / 200' };
  return openView(createElement(OverviewTab, { deployment: createDeployment(deployment) }), {
    elsewhere: 'Another page',
    address: '/deployments/shop',
    answers: {
      'GET /v1/deployment/metrics': () => ({ points, step_seconds: 60 }),
      'GET /v1/domain/list': () => domains,
      'GET /v1/deploys': () => ({
        deploys,
        next_page_token: null,
      }),
      'POST /v1/deployment/logs': ({ body }) => ({
        logs: String(body['query']).startsWith('log_name="system"') ? crashes : [entry],
        cursor: null,
      }),
    },
    methods: {
      async *tailLogs() {
        yield { ...entry, timestamp: '2026-01-01T00:00:01Z', message: 'GET /later 200' };
      },
    },
  });
}

test('figures of the last hour, the last deploy and the last log lines are on one screen', async () => {
  const { text, all, until } = await open({ points: [minute({ requests: 40, errors: 1, p95_ms: 120 })] });
  const facts = () =>
    Object.fromEntries(
      [...document.querySelectorAll('dl[aria-label="Last hour"] dt')].map((name) => [
        name.textContent,
        name.nextSibling?.textContent,
      ]),
    );
  await until(() =>
    expect(facts()).toEqual({
      ...{ 'Requests (1 h)': '40', 'Error rate (1 h)': '2.5%', 'p95 latency (1 h)': '120 ms', Instances: '1' },
    }),
  );
  expect(text()).toContain('Started by Ada');
  // Fails when the log tail isn't live.
  await until(() => expect(text()).toMatch(/GET \/ 200.*GET \/later 200/));
  expect(all('list', 'Needs attention')).toEqual([]);
});

// Fails when an unverified domain, a crash or many errors are found only by looking for them.
test('what needs attention is listed', async () => {
  const { text, until, control } = await open({
    deployment: { missing_env: ['STRIPE_KEY'] },
    points: [minute({ requests: 10, errors: 4 })],
    domains: [{ domain: 'shop.example.com', deployment_name: 'shop', status: 'pending' }],
    crashes: [{ timestamp: '2026-01-01T00:00:00Z', severity: 'ERROR', message: 'The process exited with code 1.' }],
  });
  await until(() => expect(text()).toContain('4 of 10 requests failed in the last hour'));
  expect(text()).toContain('Unverified domainshop.example.com');
  expect(text()).toContain('STRIPE_KEY is not set. berth.json requires it.');
  expect(control('Set variable').getAttribute('href')).toBe('/deployments/shop?tab=environment');
  expect(text()).toContain('1 instance failure in 15 min');
  expect(text()).toContain('The process exited with code 1.');
});

// Fails when the reason of a failed deploy, which the top of the page gives, is there a second time.
test('a failed deploy isn’t told of again', async () => {
  const failed = createDeploySummary({ deploy_id: 'dpl_2', status: 'failed', revision: 'shop-3', message: 'Exited.' });
  const { text, sent, until } = await open({ deploys: [failed, hers] });
  await until(() =>
    expect(sent('POST /v1/deployment/logs')).toContainEqual(
      expect.objectContaining({
        query: 'log_name="system" AND severity>=ERROR AND NOT resource.labels.revision_name="shop-3"',
      }),
    ),
  );
  expect(text()).not.toContain('Exited.');
  expect(text()).toContain('Previous deploy');
});
