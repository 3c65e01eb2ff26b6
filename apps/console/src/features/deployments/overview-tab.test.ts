// @vitest-environment happy-dom
import type { DeploymentDetail, MetricsPoint } from '@berth/contract';
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

// Fails when a deployment that never served shows an empty revision, or one without volumes an empty list.
test('says what there isn’t', async () => {
  expect(await factsOf({ revision: null })).toMatchObject({ Revision: 'No live revision', Volumes: 'None' });
});

// Fails when the instances that are kept, by min_instances or their work, and are billed, aren't told of.
test.each([
  [0, 0, '3'],
  [2, 0, '3, minimum 2'],
  [0, 1, '3, 1 working without a request'],
  [2, 1, '3, minimum 2, 1 working without a request'],
])('with %i kept instances and %i busy ones has “%s”', async (least, busy, words) => {
  expect((await factsOf({ instances: 3, min_instances: least, busy }))['Instances']).toBe(words);
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
}

/** Opens the tab with what is around the deployment. */
async function open({ deployment = {}, points = [], domains = [], crashes = [] }: Around = {}) {
  const entry = { timestamp: '2026-01-01T00:00:00Z', severity: 'INFO', message: 'GET / 200' };
  return openView(createElement(OverviewTab, { deployment: createDeployment(deployment) }), {
    elsewhere: 'Another page',
    address: '/deployments/shop',
    answers: {
      'GET /v1/deployment/metrics': () => ({ points, step_seconds: 60 }),
      'GET /v1/domain/list': () => domains,
      'GET /v1/deploys': () => ({
        deploys: [createDeploySummary({ actor: { kind: 'session', id: 'usr_1', name: 'Ada' } })],
        next_page_token: null,
      }),
      'POST /v1/deployment/logs': ({ body }) => ({ logs: body['query'] ? crashes : [entry], cursor: null }),
    },
  });
}

// Fails when "Ready" is all that a person learns of a service without instances, or of one that never ran.
test.each([
  [{ revision: 'shop-00012-abc', instances: 2 }, 'Serving revision 12, 2 instances'],
  [{ revision: 'shop-00012-abc', instances: 0 }, 'Scaled to zero. Revision 12 starts on the next request.'],
  [{ revision: null, status: 'failed' as const }, 'Not serving. No deploy has succeeded yet.'],
  [{ revision: null, status: 'building' as const }, 'First deploy in progress'],
  [{ status: 'deleting' as const }, 'Deleting'],
])('a deployment with %j says “%s”', async (deployment, sentence) => {
  const { text } = await open({ deployment });
  expect(text()).toContain(sentence);
});

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
  expect(text()).toContain('GET / 200');
  expect(all('list', 'Needs attention')).toEqual([]);
});

// Fails when an unverified domain, a crash or many errors are found only by looking for them.
test('what needs attention is listed', async () => {
  const { text, until } = await open({
    points: [minute({ requests: 10, errors: 4 })],
    domains: [{ domain: 'shop.example.com', deployment_name: 'shop', status: 'pending' }],
    crashes: [{ timestamp: '2026-01-01T00:00:00Z', severity: 'ERROR', message: 'The process exited with code 1.' }],
  });
  await until(() => expect(text()).toContain('4 of 10 requests failed in the last hour'));
  expect(text()).toContain('Unverified domainshop.example.com');
  expect(text()).toContain('The process exited with code 1.');
});
