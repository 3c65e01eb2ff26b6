import { mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger, type Logger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import type { InstanceSpec } from '../runtime.ts';
import { createDelivery, waitAtMost } from './output.ts';
import { runProbe } from './run-probe.ts';
import { createStop, signalOfExitCode } from './stop.ts';
import { type RemovableInstance, trackStarts } from './track-starts.ts';

const NOT_OUT_OF_MEMORY = { isOutOfMemory: false } as const;

/** An instance that ends when a test says so. */
function createStoppable() {
  const clock = createFakeClock();
  const ended =
    Promise.withResolvers<Parameters<typeof createStop>[0]['ended'] extends Promise<infer End> ? End : never>();
  const calls: string[] = [];
  const { exited, stop } = createStop({
    ended: ended.promise,
    terminate: () => void calls.push('terminate'),
    kill: () => void calls.push('kill'),
    removed: async () => void calls.push('removed'),
    clock,
  });
  const end = (signal: string | null) =>
    ended.resolve({ ...NOT_OUT_OF_MEMORY, signal, exitCode: signal === null ? 0 : null });
  return { clock, calls, exited, stop, end };
}

describe('a stop', () => {
  // Fails when every call terminates, and when the timer stays after the end.
  test('terminates once, kills after the grace period and not after the end', async () => {
    const { clock, calls, stop, end } = createStoppable();
    const stops = [stop({ graceMs: 1_000 }), stop({ graceMs: 5_000 })];
    await clock.elapse(999);
    expect(calls).toEqual(['terminate']);
    await clock.elapse(1);
    expect(calls).toEqual(['terminate', 'kill']);
    end('SIGKILL');
    expect(await Promise.all(stops)).toEqual([
      { exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, isRequested: true },
      { exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, isRequested: true },
    ]);
    expect(clock.pending).toBe(0);
    expect(calls.slice(2)).toEqual(['removed', 'removed']);
  });

  // Fails when `isKilled` is left out of `isRequested`.
  test('did not end what somebody else killed before the grace period was over', async () => {
    const { stop, end } = createStoppable();
    const stopped = stop();
    end('SIGKILL');
    expect(await stopped).toMatchObject({ signal: 'SIGKILL', isRequested: false });
  });

  // Fails when `isRequested` is true without a call of `stop`.
  test('was not asked for when the program ended by itself', async () => {
    const { exited, end } = createStoppable();
    end('SIGTERM');
    expect(await exited).toMatchObject({ signal: 'SIGTERM', isRequested: false });
  });
});

// Fails when 128 isn't subtracted.
test.each([
  [0, undefined],
  [1, undefined],
  [128, undefined],
  [137, 'SIGKILL'],
  [143, 'SIGTERM'],
])('the exit code %i stands for the signal %s', (exitCode, signal) => {
  expect(signalOfExitCode(exitCode)).toBe(signal);
});

describe('the starts of a runtime', () => {
  const spec = {} as InstanceSpec;
  const createInstance = (removed: Promise<void>) => ({ removed }) as RemovableInstance;

  // Fails when `isClosed` isn't checked, and when close() doesn't wait for starts under way.
  test('are waited for by close(), which refuses further ones', async () => {
    const begun = Promise.withResolvers<RemovableInstance>();
    const starts = trackStarts(() => begun.promise, createSilentLogger());
    const started = starts.start(spec);
    let isClosed = false;
    const closed = starts.close().then(() => {
      isClosed = true;
    });
    await expect(starts.start(spec)).rejects.toMatchObject({ code: 'unavailable' });
    expect(isClosed).toBe(false);
    const removed = Promise.withResolvers<void>();
    const instance = createInstance(removed.promise);
    begun.resolve(instance);
    await closed;
    expect(await started).toBe(instance);
    expect([...starts.running]).toEqual([instance]);
    removed.resolve();
    await removed.promise;
    await Promise.resolve();
    expect(starts.running.size).toBe(0);
  });

  // Fails when an aborted start still reaches the driver, and when a failed start makes close() reject.
  test('that fail or are canceled leave nothing', async () => {
    let calls = 0;
    const starts = trackStarts(async (): Promise<RemovableInstance> => {
      calls += 1;
      throw new Error('no room');
    }, createSilentLogger());
    await expect(starts.start(spec)).rejects.toThrow('no room');
    await expect(starts.start(spec, { signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late');
    expect(calls).toBe(1);
    await starts.close();
    expect(starts.running.size).toBe(0);
  });
});

describe('output', () => {
  // Fails when the error of the sink is thrown, when it is logged for each chunk, and when the text isn't cut.
  test('is taken although the sink fails, which is logged once for each stream', async () => {
    const logged: unknown[] = [];
    const logger: Logger = { ...createSilentLogger(), error: (fields, message) => void logged.push([fields, message]) };
    const delivery = createDelivery('output was lost', logger);
    const sink = async () => {
      throw new Error('disk full');
    };
    await delivery.take(sink, 'stderr', Buffer.from(' no such file '));
    await delivery.take(sink, 'stderr', Buffer.from('x'.repeat(2_000)));
    await delivery.take(sink, 'stdout', Buffer.from('not an error'));
    expect(logged).toEqual([
      [{ stream: 'stderr', error: expect.anything() }, 'output was lost'],
      [{ stream: 'stdout', error: expect.anything() }, 'output was lost'],
    ]);
    expect(delivery.errorText()).toMatch(/^no such file x{900,}$/);
    expect(delivery.errorText().length).toBeLessThanOrEqual(1_000);
  });

  // Fails when the wait has no end, and when its timer stays.
  test('is not waited for longer than said', async () => {
    const clock = createFakeClock();
    let isOver = false;
    const waited = waitAtMost(new Promise(() => {}), 1_000, clock).then(() => {
      isOver = true;
    });
    await clock.elapse(999);
    expect(isOver).toBe(false);
    await clock.elapse(1);
    await waited;
    await waitAtMost(Promise.resolve(), 1_000, clock);
    await expect(waitAtMost(Promise.reject(new Error('broken')), 1_000, clock)).rejects.toThrow('broken');
    expect(clock.pending).toBe(0);
  });
});

describe('a program of the machine', () => {
  // Fails when the exit code or one of the streams is left out, or the environment is the server's.
  test('gets its input and no environment, and tells both streams and its exit code', async () => {
    process.env['BERTH_PROBE_CANARY'] = 'secret';
    const argv = ['/bin/sh', '-c', 'cat; echo "$BERTH_PROBE_CANARY" >&2; exit 3'];
    expect(await runProbe(argv, { input: 'said\n' })).toEqual({ isOk: false, exitCode: 3, output: 'said' });
  });

  // Fails when the error of spawn isn't handled, or the time limit isn't passed on.
  test('that is missing or takes too long has no exit code', async () => {
    const missing = await runProbe(['/nonexistent/program']);
    expect(missing).toMatchObject({ isOk: false, exitCode: null, output: expect.stringContaining('ENOENT') });
    expect(await runProbe(['/bin/sleep', '60'], { timeoutMs: 20 })).toEqual({
      isOk: false,
      exitCode: null,
      output: '',
    });
  });

  // Fails when an error of its standard input isn't handled.
  test('may end before it has read its input', async () => {
    expect(await runProbe(['/bin/true'], { input: 'x'.repeat(2 ** 20) })).toMatchObject({ isOk: true });
  });

  // Fails when the descriptors aren't passed on.
  test('inherits descriptors from number 3 on', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-probe-')));
    await using handle = await open(folder, 'r');
    const argv = ['/bin/readlink', '/proc/self/fd/3'];
    expect(await runProbe(argv, { descriptors: [handle.fd] })).toMatchObject({ isOk: true, output: folder });
    await rm(folder, { recursive: true });
  });
});
