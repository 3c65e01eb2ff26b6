import type { InstanceEvent, RequestRecord } from '@berth/gateway';
import { createSystemClock } from '@berth/kit';
import { createFakeLogStore } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createServiceLog } from './service-log.ts';

const SOURCE = { account: 'acme', deployment: 'shop', revision: 'shop-00001', instance: 'inst_1' };
const CRASH = { exitCode: 9, signal: null, isOutOfMemory: false, isRequested: false };
const STOP = { exitCode: 0, signal: null, isOutOfMemory: false, isRequested: true };

function createRecorder() {
  const clock = createSystemClock();
  const logs = createFakeLogStore(clock.nowMs);
  return { log: createServiceLog({ logs, clock }), entries: (scope = SOURCE) => logs.entries(scope) };
}

function request(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    ...SOURCE,
    startedAtMs: 1,
    method: 'GET',
    url: '/status?code=418',
    host: 'shop.localhost',
    protocol: 'HTTP/1.1',
    status: 200,
    latencyMs: 12.4,
    requestSize: 10,
    responseSize: 20,
    remoteIp: '127.0.0.1',
    userAgent: 'curl/8',
    trace: '0af7651916cd43dd8448eb211c80319c',
    ...changes,
  };
}

describe('createServiceLog', () => {
  test('writes what an instance prints, with where it came from', () => {
    const { log, entries } = createRecorder();
    log.onOutput(SOURCE, 'stdout', Buffer.from('hel'));
    log.onOutput(SOURCE, 'stdout', Buffer.from('lo\nNOTICE: no\n'));
    log.onOutput({ ...SOURCE, instance: 'inst_2' }, 'stderr', Buffer.from('other\n'));
    expect(entries().map((entry) => [entry.instance, entry.logName, entry.severity, entry.message])).toEqual([
      ['inst_1', 'stdout', 'INFO', 'hello'],
      ['inst_1', 'stdout', 'NOTICE', 'NOTICE: no'],
      ['inst_2', 'stderr', 'WARNING', 'other'],
    ]);
    expect(entries()[0]?.revision).toBe('shop-00001');
  });

  test('hands on the back-pressure of the store', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const logs = { ...createFakeLogStore(Date.now), append: () => promise };
    const log = createServiceLog({ logs, clock: createSystemClock() });
    expect(log.onOutput(SOURCE, 'stdout', Buffer.from('no end'))).toBeUndefined();
    expect(log.onOutput(SOURCE, 'stdout', Buffer.from(' yet\n'))).toBe(promise);
    resolve();
  });

  test('the last words of an instance come before its end', () => {
    const { log, entries } = createRecorder();
    log.onInstance({ ...SOURCE, timeMs: 1, kind: 'started', reason: 'deploy' });
    log.onOutput(SOURCE, 'stderr', Buffer.from('thread panicked'));
    log.onInstance({ ...SOURCE, timeMs: 2, kind: 'crashed', exit: CRASH });
    log.onInstance({ ...SOURCE, timeMs: 2, kind: 'ended' });
    expect(entries().map((entry) => [entry.logName, entry.severity, entry.message])).toEqual([
      ['system', 'INFO', 'Instance started: a deploy.'],
      ['stderr', 'WARNING', 'thread panicked'],
      ['system', 'ERROR', 'Instance crashed: exit code 9.'],
    ]);
  });

  test('what stands still has not ended: a line it was in the middle of goes on', () => {
    const { log, entries } = createRecorder();
    log.onOutput(SOURCE, 'stdout', Buffer.from('one '));
    log.onInstance({ ...SOURCE, timeMs: 1, kind: 'suspended' });
    log.onInstance({ ...SOURCE, timeMs: 2, kind: 'resumed', resumeMs: 1 });
    log.onOutput(SOURCE, 'stdout', Buffer.from('line\n'));
    expect(entries().map((entry) => entry.message)).toContain('one line');
  });

  test('tells the life of an instance in words', () => {
    const events: [Partial<InstanceEvent>, string, string][] = [
      [{ kind: 'ready', startMs: 181.6 }, 'INFO', 'Instance ready after 182 ms.'],
      [{ kind: 'suspended' }, 'INFO', 'Instance suspended: idle. The next request resumes it.'],
      [{ kind: 'resumed', resumeMs: 0.24 }, 'INFO', 'Instance resumed in 0.2 ms: a request arrived.'],
      [{ kind: 'busy' }, 'INFO', 'Instance busy: it reports background work, so it is kept and billed.'],
      [
        { kind: 'busy_ended', busyMs: 182_400, reason: 'done' },
        'INFO',
        'Instance was busy for 182 s: its work is finished.',
      ],
      [
        { kind: 'busy_ended', busyMs: 3_600_000, reason: 'limit' },
        'WARNING',
        'Instance was busy for 3600 s: the maximum time without a request is over.',
      ],
      [{ kind: 'stopped', reason: 'idle', exit: STOP }, 'INFO', 'Instance stopped: idle.'],
      [
        { kind: 'stopped', reason: 'deleted', exit: { ...STOP, exitCode: null, signal: 'SIGKILL' } },
        'WARNING',
        'Instance stopped: the deployment was deleted. It did not end on SIGTERM and was killed.',
      ],
      [
        { kind: 'crashed', exit: { ...CRASH, exitCode: null, signal: 'SIGSEGV' } },
        'ERROR',
        'Instance crashed: ended by SIGSEGV.',
      ],
      [
        { kind: 'crashed', exit: { ...CRASH, exitCode: null, signal: 'SIGKILL', isOutOfMemory: true } },
        'ERROR',
        'Instance crashed: it was out of memory.',
      ],
      [
        { kind: 'start_failed', message: 'nothing answered on its port', exit: CRASH },
        'ERROR',
        'Instance did not start: nothing answered on its port (exit code 9)',
      ],
    ];
    for (const [event, severity, message] of events) {
      const { log, entries } = createRecorder();
      log.onInstance({ ...SOURCE, timeMs: Date.now(), ...event } as InstanceEvent);
      expect(entries()).toMatchObject([{ logName: 'system', severity, message, instance: 'inst_1' }]);
    }
  });

  test('writes each request with what is known of it', () => {
    const { log, entries } = createRecorder();
    const coldStart = { queuedMs: 0, scheduledMs: 1, spawnedMs: 5, portOpenMs: 80.4, firstByteMs: 90 };
    log.onRequest(request({ coldStart }));
    const { instance: _, ...withoutInstance } = request({ status: 503 });
    log.onRequest(withoutInstance);
    log.onRequest(request({ status: 404 }));
    const resume = { queuedMs: 0, resumedMs: 1.2, firstByteMs: 3 };
    log.onRequest(request({ resume }));
    expect(entries().map((entry) => [entry.severity, entry.message])).toEqual([
      ['INFO', 'GET /status?code=418 200 12 ms (cold start 80 ms)'],
      ['ERROR', 'GET /status?code=418 503 12 ms'],
      ['WARNING', 'GET /status?code=418 404 12 ms'],
      ['INFO', 'GET /status?code=418 200 12 ms (resumed in 1 ms)'],
    ]);
    expect(entries()[3]).toMatchObject({ httpRequest: { resume } });
    expect(entries()[0]).toMatchObject({
      logName: 'requests',
      revision: 'shop-00001',
      instance: 'inst_1',
      trace: '0af7651916cd43dd8448eb211c80319c',
      httpRequest: {
        method: 'GET',
        url: '/status?code=418',
        status: 200,
        latencyMs: 12.4,
        requestSize: 10,
        responseSize: 20,
        remoteIp: '127.0.0.1',
        userAgent: 'curl/8',
        protocol: 'HTTP/1.1',
        coldStart,
      },
    });
    expect(entries()[1]).not.toHaveProperty('instance');
  });
});
