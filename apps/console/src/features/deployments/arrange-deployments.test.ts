import type { Deployment } from '@berth/contract';
import { expect, test } from 'vitest';
import { arrangeDeployments, type DeploymentOrder } from './arrange-deployments.ts';

const row = (name: string, status: Deployment['status'], day: number) => ({
  name,
  status,
  url: `https://${name}.example.net`,
  created_at: `2026-01-0${day}T00:00:00.000Z`,
  updated_at: `2026-02-0${10 - day}T00:00:00.000Z`,
});
const ROWS = [row('shop', 'ready', 1), row('api', 'failed', 2), row('blog', 'building', 3), row('zoo', 'ready', 4)];

test.each<[DeploymentOrder, string, string[]]>([
  ['name', '', ['api', 'blog', 'shop', 'zoo']],
  ['status', '', ['api', 'blog', 'shop', 'zoo']],
  ['created', '', ['zoo', 'blog', 'api', 'shop']],
  ['updated', '', ['shop', 'api', 'blog', 'zoo']],
  ['name', 'READY example', ['shop', 'zoo']],
  ['name', ' zo ', ['zoo']],
  ['name', 'nothing', []],
])('by %s, searched for "%s"', (order, search, names) => {
  expect(arrangeDeployments(ROWS, { order, search }).map(({ name }) => name)).toEqual(names);
});

test('finds and sorts ten thousand rows', () => {
  const many = Array.from({ length: 10_000 }, (_, at) => row(`app-${(at * 7919) % 10_000}`, 'ready', 1));
  const names = arrangeDeployments(many, { order: 'updated', search: 'app' }).map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(new Set(names).size).toBe(10_000);
});
