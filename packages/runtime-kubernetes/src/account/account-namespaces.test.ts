import { expect, test } from 'vitest';
import { namespaceObjects } from './account-namespaces.ts';

const policy = {
  ...{
    platformId: 'berth',
    prefix: 'berth',
    berthNamespace: 'berth',
    blockedRanges: ['203.0.113.0/24'],
    volumes: undefined,
  },
  ...{ publicPods: [], maxPods: 200, maxMemoryBytes: 2 ** 30, maxCpuMillis: 1_000 },
};
const rulesOf = (changes: Partial<Parameters<typeof namespaceObjects>[1]> = {}) =>
  namespaceObjects('acc_one', { ...policy, ...changes })[1].spec;

// Fails when a service reaches more than DNS and the internet: other Pods, nodes, the API server, the metadata of clouds.
test('services reach DNS and addresses that are not private or blocked', () => {
  const [dns, internet, ...others] = rulesOf()?.egress ?? [];
  expect(others).toEqual([]);
  expect(dns?.ports?.map(({ port }) => port)).toEqual([53, 53]);
  const except = internet?.to?.flatMap(({ ipBlock }) => ipBlock?.except ?? []);
  expect(except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', 'fc00::/7', '203.0.113.0/24']));
  expect(internet?.to?.every(({ podSelector, namespaceSelector }) => !podSelector && !namespaceSelector)).toBe(true);
});

// Fails when a service can't call another one by its public address, or reaches other ports of the Pods that it leads to.
test('services reach the Pods behind the public addresses of the platform, at their ports for requests only', () => {
  const publicPods = [
    { namespace: 'berth', labels: { 'app.kubernetes.io/name': 'berth' }, ports: [8_787, 8_443] },
    { namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'traefik' }, ports: [8_000] },
  ];
  const rules = rulesOf({ publicPods })?.egress?.slice(2);
  expect(
    rules?.map(({ to, ports }) => [
      to?.map(({ namespaceSelector, podSelector }) => [namespaceSelector?.matchLabels, podSelector?.matchLabels]),
      ports?.map(({ port }) => port),
    ]),
  ).toEqual([
    [[[{ 'kubernetes.io/metadata.name': 'berth' }, { 'app.kubernetes.io/name': 'berth' }]], [8_787, 8_443]],
    [[[{ 'kubernetes.io/metadata.name': 'kube-system' }, { 'app.kubernetes.io/name': 'traefik' }]], [8_000]],
  ]);
});
