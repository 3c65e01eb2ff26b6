import type { V1ContainerState, V1PodStatus } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { CONTAINER } from './names.ts';
import { readPodState } from './pod-state.ts';

const read = (status: V1PodStatus, state?: V1ContainerState) =>
  readPodState({
    status: {
      ...status,
      ...(state && {
        containerStatuses: [{ name: CONTAINER, state } as never, { name: 'sidecar', state: {} } as never],
      }),
    },
  });

it('waits for a node, and says why there is none', () => {
  expect(read({ phase: 'Pending' })).toEqual({ kind: 'pending' });
  const scheduled = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: '0/2 nodes are available.',
  };
  expect(read({ phase: 'Pending', conditions: [scheduled] })).toEqual({
    kind: 'pending',
    why: '0/2 nodes are available',
    isUnschedulable: true,
  });
});

it('waits for its image, and says when it can’t be pulled', () => {
  expect(read({}, { waiting: { reason: 'ContainerCreating' } })).toEqual({ kind: 'pending' });
  expect(read({}, { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x".' } })).toEqual({
    kind: 'pending',
    why: 'its image can\'t be pulled (Back-off pulling image "x")',
  });
});

it('runs when its container runs and its address is known', () => {
  const running = { startedAt: new Date(0) };
  expect(read({ phase: 'Running' }, { running })).toEqual({ kind: 'pending' });
  expect(read({ phase: 'Running', podIP: '10.1.2.3' }, { running })).toEqual({ kind: 'running', address: '10.1.2.3' });
});

it.each([
  [{ waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found.' } }, 'secret "x" not found'],
  [{ waiting: { reason: 'InvalidImageName' } }, 'InvalidImageName'],
  [
    { terminated: { exitCode: 128, reason: 'StartError', message: 'exec: "no-such": not found' } },
    'exec: "no-such": not found',
  ],
] satisfies [V1ContainerState, string][])('can’t be executed: %j', (state, why) => {
  expect(read({ phase: 'Pending' }, state)).toEqual({ kind: 'failed', why });
});

it.each([
  [{ exitCode: 3 }, { exitCode: 3, signal: null, isOutOfMemory: false }],
  [{ exitCode: 143 }, { exitCode: null, signal: 'SIGTERM', isOutOfMemory: false }],
  [
    { exitCode: 137, reason: 'OOMKilled' },
    { exitCode: null, signal: 'SIGKILL', isOutOfMemory: true },
  ],
])('ended with %j', (terminated, exit) => {
  expect(read({ phase: 'Failed' }, { terminated })).toEqual({ kind: 'ended', exit, hasRun: true });
});

// Fails when the end of a Pod without the state of its container is missed: its requests would wait for a Pod that is gone.
it.each([
  [
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    'the node evicted it (The node was low on resource: memory)',
  ],
  [{ phase: 'Failed', reason: 'NodeLost' }, 'its node went away'],
  [{ phase: 'Failed' }, 'its Pod failed'],
])('was ended by the cluster: %j', (status, reason) => {
  expect(read(status)).toEqual({
    kind: 'ended',
    exit: { exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, reason },
  });
});

it('was deleted', () => {
  expect(readPodState(undefined)).toMatchObject({ kind: 'ended', exit: { reason: 'its Pod was deleted' } });
});
