import { expect, test } from 'vitest';
import { describeCapabilities, type MachineFacts } from './describe-capabilities.ts';

const NOTHING: MachineFacts = {
  isSandboxed: false,
  sandboxProblem: 'bubblewrap is not installed',
  hasSyscallFilter: false,
  hasUsers: false,
  cgroups: { memory: false, cpu: false, processes: false, freezer: false },
  cgroupDescription: 'no control groups',
  hasProcessTable: false,
  hasResourceLimits: false,
  networks: { isIsolated: false, problem: 'nftables is not installed' },
  metadataProblem: 'services run as the user of this server',
};
const EVERYTHING: MachineFacts = {
  isSandboxed: true,
  sandboxProblem: undefined,
  hasSyscallFilter: true,
  hasUsers: true,
  cgroups: { memory: true, cpu: true, processes: true, freezer: true },
  cgroupDescription: 'control groups v2',
  hasProcessTable: true,
  hasResourceLimits: true,
  networks: { isIsolated: true },
  metadataProblem: undefined,
};

function statusOf(facts: MachineFacts): Record<string, string> {
  return Object.fromEntries(describeCapabilities(facts).map(({ id, status }) => [id, status]));
}

test('never says more than is true', () => {
  expect(Object.values(statusOf(NOTHING)).filter((status) => status === 'enforced')).toEqual([]);
  expect(statusOf(NOTHING)).toMatchObject({
    sandbox: 'missing',
    'syscall-filter': 'missing',
    'user-isolation': 'missing',
    'memory-limit': 'missing',
  });
  expect(statusOf({ ...NOTHING, hasUsers: true })).toMatchObject({ sandbox: 'partial', 'user-isolation': 'enforced' });
  expect(statusOf({ ...NOTHING, hasProcessTable: true })).toMatchObject({
    'memory-limit': 'partial',
    'cpu-limit': 'missing',
  });
  const missing = Object.entries(statusOf(EVERYTHING)).filter(([, status]) => status !== 'enforced');
  expect(missing).toEqual([['disk-limit', 'partial']]);
});

test('says why, and how to get what is missing', () => {
  for (const facts of [
    NOTHING,
    EVERYTHING,
    { ...EVERYTHING, isSandboxed: false },
    { ...EVERYTHING, hasUsers: false },
    { ...EVERYTHING, hasSyscallFilter: false },
  ]) {
    for (const { status, detail, remedy } of describeCapabilities(facts)) {
      expect(detail).toMatch(/\.$/);
      expect(remedy === undefined).toBe(status === 'enforced');
    }
  }
  expect(describeCapabilities(NOTHING)[0]?.detail).toContain('bubblewrap is not installed');
});
