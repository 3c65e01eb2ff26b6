import { expect, it } from 'vitest';
import { type ClusterLimit, describeCapabilities } from './describe-capabilities.ts';

const POLICY = { runtimeClass: undefined, hasUserNamespaces: false };
const statuses = (enforces: readonly ClusterLimit[]) =>
  Object.fromEntries(describeCapabilities(POLICY, enforces).map(({ id, status }) => [id, status]));

// Fails when a limit that clusters don't report is taken for granted.
it('calls limits enforced that clusters do not report only when the operator vouches for them', () => {
  const unknown = { 'network-isolation': 'partial', 'process-limit': 'partial', 'disk-limit': 'partial' };
  expect(statuses([])).toMatchObject({ ...unknown, sandbox: 'enforced', 'memory-limit': 'enforced' });
  expect(statuses(['network-policy'])).toMatchObject({ ...unknown, 'network-isolation': 'enforced' });
  expect(new Set(Object.values(statuses(['network-policy', 'process-limit', 'disk-limit'])))).toEqual(
    new Set(['enforced']),
  );
});
