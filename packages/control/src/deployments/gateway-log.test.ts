import type { InstanceEvent, InstanceSource, RequestRecord } from '@berth/gateway';
import { createFakeClock, createFakeLogStore } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createGatewayLog } from './gateway-log.ts';

const source: InstanceSource = { account: 'acc_1', deployment: 'shop', revision: 'shop-00001-abc', instance: 'inst_1' };
const record: RequestRecord = {
  account: 'acc_1',
  deployment: 'shop',
  revision: 'shop-00001-abc',
  instance: 'inst_1',
  startedAtMs: 1_000,
  method: 'GET',
  url: '/a?b=c',
  host: 'shop.localhost',
  protocol: 'HTTP/1.1',
  status: 200,
  latencyMs: 12.4,
  requestSize: 1,
  responseSize: 2,
  remoteIp: '127.0.0.1',
  userAgent: 'curl',
  trace: '0'.repeat(32),
};

function setup() {
  const clock = createFakeClock();
  const logs = createFakeLogStore(() => clock.nowMs());
  const log = createGatewayLog({ logs, clock });
  return { log, entries: () => logs.entries({ account: 'acc_1', deployment: 'shop' }) };
}

it('writes a request when it ended, with a severity by its status', () => {
  const { log, entries } = setup();
  for (const status of [200, 399, 404, 499, 503]) log.onRequest({ ...record, status });
  expect(entries().map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    'INFO GET /a?b=c 200 12ms',
    'INFO GET /a?b=c 399 12ms',
    'WARNING GET /a?b=c 404 12ms',
    'WARNING GET /a?b=c 499 12ms',
    'ERROR GET /a?b=c 503 12ms',
  ]);
  expect(entries()[0]).toMatchObject({
    logName: 'requests',
    httpRequest: { method: 'GET', url: '/a?b=c', status: 200, latencyMs: 12.4, remoteIp: '127.0.0.1' },
    trace: record.trace,
    instance: 'inst_1',
    timestamp: expect.stringMatching(/^1970-01-01T00:00:01\.012/),
  });
});

it('keeps the parts of a cold start', () => {
  const { log, entries } = setup();
  const coldStart = { queuedMs: 1, scheduledMs: 2, spawnedMs: 3, portOpenMs: 4, firstByteMs: 5 };
  log.onRequest({ ...record, coldStart });
  expect(entries()[0]?.httpRequest?.coldStart).toEqual(coldStart);
});

it('says why instances start, stop and crash', () => {
  const { log, entries } = setup();
  const exit = { exitCode: 0, signal: null, isOutOfMemory: false, isRequested: true };
  const events: Partial<InstanceEvent>[] = [
    { kind: 'started', reason: 'request' },
    { kind: 'ready', startMs: 80.2 },
    { kind: 'stopped', reason: 'idle', exit },
    { kind: 'stopped', reason: 'replaced', exit: { ...exit, exitCode: null, signal: 'SIGKILL' } },
    { kind: 'crashed', exit: { ...exit, exitCode: 3 } },
    { kind: 'crashed', exit: { ...exit, exitCode: null, signal: 'SIGSEGV' } },
    { kind: 'crashed', exit: { ...exit, exitCode: null, signal: 'SIGKILL', isOutOfMemory: true } },
    { kind: 'start_failed', message: 'nothing listens', exit: { ...exit, exitCode: 1 } },
    { kind: 'ended', billableMs: 5 },
  ];
  for (const event of events) log.onInstance({ ...source, timeMs: 5, ...event } as InstanceEvent);
  expect(entries().map(({ logName, severity, message }) => `${logName} ${severity} ${message}`)).toEqual([
    'system INFO Instance started: a request came and no instance was running',
    'system INFO Instance ready after 80 ms',
    'system INFO Instance stopped: no request for the idle time',
    'system WARNING Instance stopped: a newer revision has the traffic; it did not end on SIGTERM within 10 s and was killed',
    'system ERROR Instance crashed: exit code 3',
    'system ERROR Instance crashed: signal SIGSEGV',
    'system ERROR Instance crashed: out of memory; deploy with more `memory`, or use less',
    'system ERROR Instance did not start: nothing listens (exit code 1)',
  ]);
  expect(entries()[0]).toMatchObject({
    revision: source.revision,
    instance: 'inst_1',
    labels: { event: 'started', reason: 'request' },
  });
});

it('writes output line by line, the last piece before what became of the instance', () => {
  const { log, entries } = setup();
  void log.onOutput(source, 'stdout', Buffer.from('one\ntw'));
  void log.onOutput({ ...source, instance: 'inst_2' }, 'stderr', Buffer.from('other\n'));
  const exit = { exitCode: 1, signal: null, isOutOfMemory: false, isRequested: false };
  log.onInstance({ ...source, timeMs: 5, kind: 'crashed', exit });
  expect(entries().map(({ logName, message, instance }) => [logName, message, instance])).toEqual([
    ['stdout', 'one', 'inst_1'],
    ['stderr', 'other', 'inst_2'],
    ['stdout', 'tw', 'inst_1'],
    ['system', 'Instance crashed: exit code 1', 'inst_1'],
  ]);
});
