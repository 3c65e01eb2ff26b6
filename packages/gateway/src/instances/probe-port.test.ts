import { once } from 'node:events';
import { createServer } from 'node:net';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { probePauseMs, probeTcpPort, waitForPort } from './probe-port.ts';

const instance = { address: { host: '127.0.0.1', port: 1 } };
const readiness = { check: async () => true };

test('probes each 5 ms at first, each second in the end', () => {
  expect([0, 50, 100, 4_000, 60_000].map((waited) => probePauseMs(waited, DEFAULT_POLICY))).toEqual([
    5, 5, 5, 200, 1_000,
  ]);
});

test('ends when the port answers, when nobody waits any more, and when the time is over', async () => {
  const clock = createFakeClock();
  let isOpen = false;
  const abort = new AbortController();
  const wait = (timeoutMs: number, signal = new AbortController().signal) =>
    waitForPort({ instance, readiness, probe: async () => isOpen, clock, policy: DEFAULT_POLICY, timeoutMs, signal });
  const timedOut = wait(500);
  const aborted = wait(60_000, abort.signal);
  const opened = wait(60_000);
  await clock.elapse(500);
  expect(await timedOut).toBe('timeout');
  abort.abort();
  expect(await aborted).toBe('aborted');
  isOpen = true;
  await clock.elapse(50);
  expect(await opened).toBe('ready');
  expect(clock.pending).toBe(0);
});

test('who accepts the connection has to be the instance, where it may be another', async () => {
  // Fails when an accepted connection is sufficient: on a shared network another tenant's program may listen on the port.
  const clock = createFakeClock();
  let isOwn = false;
  const opened = waitForPort({
    clock,
    policy: DEFAULT_POLICY,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    instance: { ...instance, isListening: async () => isOwn },
    readiness,
    probe: async () => true,
  });
  let outcome: string | undefined;
  void opened.then((how) => (outcome = how));
  await clock.elapse(1_000);
  expect(outcome).toBeUndefined();
  isOwn = true;
  await clock.elapse(100);
  expect(await opened).toBe('ready');
});

test('a probe that hangs does not hold up the end of the wait', async () => {
  const abort = new AbortController();
  const clock = createFakeClock();
  const hung = waitForPort({
    instance,
    readiness,
    clock,
    policy: DEFAULT_POLICY,
    timeoutMs: 1_000,
    signal: abort.signal,
    probe: () => new Promise<boolean>(() => {}),
  });
  abort.abort();
  expect(await hung).toBe('aborted');
});

test('a TCP probe tells a port that accepts from one that does not', async () => {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await probeTcpPort({ host: '127.0.0.1', port }, 1_000)).toBe(true);
  server.close();
  await once(server, 'close');
  expect(await probeTcpPort({ host: '127.0.0.1', port }, 1_000)).toBe(false);
});
