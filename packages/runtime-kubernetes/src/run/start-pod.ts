import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import type { V1Pod } from '@kubernetes/client-node';
import type { PodWatch } from '../api/pod-watch.ts';
import { type PodState, readPodState } from '../pod/pod-state.ts';

/** How long a Pod may find no node, or its image may not be pulled. An autoscaler needs a minute or two to add a node. */
export interface StartPatience {
  readonly unschedulableMs: number;
  readonly unpulledMs: number;
}

/** A Pod whose program was executed. */
export interface StartedPod {
  readonly pod: V1Pod;
  readonly host: string;
}

/**
 * Waits until a Pod's program was executed; a program that ended at once was, too.
 * @throws BerthError `start_failed` or `out_of_capacity`; the signal's reason
 */
export function untilStarted(
  pods: PodWatch,
  place: { readonly namespace: string; readonly name: string },
  { unschedulableMs, unpulledMs }: StartPatience,
  signal: AbortSignal | undefined,
): Promise<StartedPod> {
  const { promise, resolve, reject } = Promise.withResolvers<StartedPod>();
  let timer: NodeJS.Timeout | undefined;
  let waitsFor: string | undefined;
  const giveUp = (afterMs: number, key: string, makeError: () => BerthError) => {
    if (waitsFor === key) return;
    waitsFor = key;
    clearTimeout(timer);
    timer = setTimeout(() => reject(makeError()), afterMs);
  };
  const look = (pod: V1Pod | undefined) => {
    const state: PodState = readPodState(pod);
    if (state.kind === 'running') {
      if (pod) resolve({ pod, host: state.address });
    } else if (state.kind === 'failed') {
      reject(createError('start_failed', `The program could not be executed: ${state.why}.`));
    } else if (state.kind === 'ended') {
      if (pod && state.hasRun) resolve({ pod, host: pod.status?.podIP ?? NO_ADDRESS });
      else
        reject(
          createError('start_failed', `The instance ended before it ran: ${state.exit.reason ?? 'it was killed'}.`),
        );
    } else if (state.isUnschedulable) {
      giveUp(unschedulableMs, 'node', () =>
        createError('out_of_capacity', `The cluster has no room for another instance: ${state.why}.`),
      );
    } else if (state.why !== undefined) {
      giveUp(unpulledMs, 'image', () => createError('start_failed', `The instance can't start: ${state.why}.`));
    }
  };
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const stopFollowing = pods.follow(place.namespace, place.name, look);
  return promise.finally(() => {
    clearTimeout(timer);
    stopFollowing();
    signal?.removeEventListener('abort', abort);
  });
}

/** Reserved address (RFC 5737) for a Pod that ended before its address was known. */
const NO_ADDRESS = '192.0.2.1';
