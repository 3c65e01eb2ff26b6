import type { InstanceId } from '@berth/kit';
import { expect, test } from 'vitest';
import { ServiceInstance } from '../instances/service-instance.ts';
import { coldStartParts, resumeParts } from './request-record.ts';

function started(scheduledAtMs: number, spawnedAtMs: number, readyAtMs: number) {
  const instance = new ServiceInstance('inst_1' as InstanceId, 'request', '', 0);
  Object.assign(instance, { scheduledAtMs, spawnedAtMs, readyAtMs });
  return instance;
}

test('the parts are milliseconds since the arrival', () => {
  expect(coldStartParts(1_000, 1_001, started(1_005, 1_020, 1_100), 1_110)).toEqual({
    queuedMs: 1,
    scheduledMs: 5,
    spawnedMs: 20,
    portOpenMs: 100,
    firstByteMs: 110,
  });
});

test('a start that was under way before the request never runs backwards', () => {
  expect(coldStartParts(1_000, 1_001, started(500, 600, 1_100), 1_110)).toEqual({
    queuedMs: 1,
    scheduledMs: 1,
    spawnedMs: 1,
    portOpenMs: 100,
    firstByteMs: 110,
  });
});

test('a request that did not wait for a start has none', () => {
  expect(coldStartParts(1_000, null, started(0, 0, 1_100), 1_110)).toBeUndefined();
  expect(coldStartParts(1_000, 1_001, null, 1_110)).toBeUndefined();
  expect(coldStartParts(1_000, 1_001, started(0, 0, 900), 1_110)).toBeUndefined();
});

test('a request that waited for a thaw has its parts, and no other', () => {
  const instance = Object.assign(started(0, 0, 100), { resumedAtMs: 1_003 });
  expect(resumeParts(1_000, 1_001, instance, 1_010)).toEqual({ queuedMs: 1, resumedMs: 3, firstByteMs: 10 });
  expect(coldStartParts(1_000, 1_001, instance, 1_010)).toBeUndefined();
  expect(resumeParts(1_000, null, instance, 1_010)).toBeUndefined();
  expect(resumeParts(1_000, 1_004, instance, 1_010)).toBeUndefined();
  expect(resumeParts(1_000, 1_001, started(0, 0, 100), 1_010)).toBeUndefined();
});
