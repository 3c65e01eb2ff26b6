// @vitest-environment happy-dom
import type { DeploymentDetail } from '@berth/contract';
import { createElement } from 'react';
import { expect, test } from 'vitest';
import { createDeployment } from '../../testing/create-deployment.ts';
import { openView } from '../../testing/open-view.ts';
import { OverviewTab } from './overview-tab.tsx';

/** Returns the facts of the tab by their names. */
async function factsOf(changes: Partial<DeploymentDetail> = {}): Promise<Record<string, string>> {
  await openView(createElement(OverviewTab, { deployment: createDeployment(changes) }), {
    elsewhere: 'Another page',
    address: '/deployments/shop',
    answers: { 'GET /v1/metrics': () => ({ points: [], step_seconds: 60 }) },
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
  expect(facts['Limits']).toBe('1 concurrent request per instance, 300 seconds request timeout');
});
