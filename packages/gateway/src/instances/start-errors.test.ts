import type { InstanceExit } from '@berth/runtime';
import { expect, test } from 'vitest';
import { exitedBeforeReady, neverListened } from './start-errors.ts';

const exit: InstanceExit = { exitCode: 1, signal: null, isOutOfMemory: false, isRequested: false };

test('an exit is told by code, signal or memory', () => {
  expect(exitedBeforeReady(exit, 8080, 0, false)).toMatchObject({
    code: 'start_failed',
    message: 'The service exited with code 1 before it listened on its port (8080).',
    details: { exit },
  });
  expect(exitedBeforeReady({ ...exit, exitCode: null, signal: 'SIGSEGV' }, 8080, 0, false).message).toContain(
    'was killed by SIGSEGV',
  );
  expect(exitedBeforeReady({ ...exit, isOutOfMemory: true }, 8080, 2 ** 29, true).message).toContain(
    'was killed for exceeding its 512 MiB memory limit',
  );
  expect(exitedBeforeReady({ ...exit, reason: 'its node went away' }, 8080, 0, true).message).toContain(
    'was ended: its node went away before',
  );
});

test('a service that listens elsewhere is told where it should', () => {
  expect(neverListened([3000], 43817, 240_000)).toMatchObject({
    code: 'port_not_open',
    message: 'The service listens on 3000, not on $PORT (43817): read the port from the PORT environment variable.',
  });
});

test('one that listens nowhere, or does not accept, ran out of time', () => {
  expect(neverListened([], 8080, 240_000)).toMatchObject({
    code: 'start_timeout',
    message: 'The service ran for 240 s, but it listens on no port: it must listen on $PORT (8080).',
  });
  expect(neverListened([8080], 8080, 240_000)).toMatchObject({ code: 'start_timeout' });
});

test('one that listens to itself only is told to listen to others', () => {
  expect(neverListened([8080, 9000], 8080, 240_000, [8080])).toMatchObject({
    code: 'port_not_open',
    message: 'The service listens on $PORT (8080) of 127.0.0.1 only, which is not reachable: listen on 0.0.0.0.',
  });
  expect(neverListened([8080, 9000], 8080, 240_000, [9000])).toMatchObject({ code: 'start_timeout' });
});
