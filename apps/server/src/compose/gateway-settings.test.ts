import { availableParallelism, totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { readConfig } from '../config/read-config.ts';
import { gatewaySettings } from './gateway-settings.ts';

function settingsOf(flags: Readonly<Record<string, string>>) {
  const reading = readConfig({ flags, environment: {}, workingFolder: '/' });
  if ('faults' in reading) throw new Error(reading.faults.join());
  return gatewaySettings(reading.config);
}

// Fails when seconds reach the gateway as milliseconds: services would stop after 0.9 s without a request.
test('times are given to the gateway in its unit, and 0 stays 0', () => {
  const flags = { 'idle-timeout': '900', 'suspend-after': '0', 'busy-max': '1800', 'start-timeout': '30' };
  expect(settingsOf(flags).policy).toEqual({
    ...{ idleTimeoutMs: 900_000, suspendAfterMs: 0, busyMaxMs: 1_800_000, startTimeoutMs: 30_000 },
  });
});

// Fails when the whole memory is promised to instances: the system would have to kill something.
test('memory is what the operator says, else four fifths of what this process may use at most', () => {
  expect(settingsOf({ 'memory-budget': '8Gi' }).budget.memoryBytes).toBe(8 * 2 ** 30);
  // More than the machine has is the operator's to say: instances rarely take all of theirs.
  expect(settingsOf({ 'memory-budget': '64000Gi' }).budget.memoryBytes).toBe(64_000 * 2 ** 30);
  const { memoryBytes } = settingsOf({}).budget;
  expect(memoryBytes).toBeLessThanOrEqual(0.8 * totalmem());
  expect(memoryBytes).toBeGreaterThan(0);
});

test('CPUs are promised several times, as the operator says', () => {
  const cpus = availableParallelism();
  expect(settingsOf({}).budget.cpuMillis).toBe(20_000 * cpus);
  expect(settingsOf({ 'cpu-overcommit': '1' }).budget).toMatchObject({
    cpuMillis: 1_000 * cpus,
    simultaneousStarts: 2 * cpus,
  });
});
