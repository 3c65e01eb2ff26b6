import type { InstanceExit } from '@berth/runtime';
import { signalOfExitCode } from '@berth/runtime/drivers';
import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import { CONTAINER } from './names.ts';

/** The state of an instance's Pod. `why`: a clause without a full stop, for people. */
export type PodState =
  /** It waits for a node, its image or its volumes; `why` is set when it can't get on at the moment. */
  | { readonly kind: 'pending'; readonly why?: string; readonly isUnschedulable?: true }
  /** Its program can't be executed. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'running'; readonly address: string }
  /** `hasRun`: its program was executed. */
  | { readonly kind: 'ended'; readonly exit: Omit<InstanceExit, 'isRequested'>; readonly hasRun?: true };

/** Reasons of a waiting container that a new attempt doesn't change. Source: kubelet, pkg/kubelet/container/sync_result.go. */
const HOPELESS: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'InvalidImageName',
  'RunContainerError',
]);
/** Reasons of a container whose image can't be pulled: the registry may be away. */
const UNPULLED: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable']);
/** Reasons of a container that ended without its program being executed. */
const NOT_EXECUTED: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);

/** Reads the state of a Pod; undefined: it was deleted. */
export function readPodState(pod: V1Pod | undefined): PodState {
  if (!pod) return { kind: 'ended', exit: killed('its Pod was deleted') };
  const { phase, reason, message, podIP = '', conditions = [], containerStatuses = [] } = pod.status ?? {};
  const { state = {} } = containerStatuses.find(({ name }) => name === CONTAINER) ?? ({} as V1ContainerStatus);
  const { terminated, waiting, running } = state;
  if (terminated) {
    if (NOT_EXECUTED.has(terminated.reason ?? '')) return { kind: 'failed', why: clause(terminated.message) };
    const why = describeEnd(reason, message);
    const exit = toExit(terminated.exitCode, terminated.reason === 'OOMKilled');
    return { kind: 'ended', exit: { ...exit, ...(why !== undefined && { reason: why }) }, hasRun: true };
  }
  // An evicted Pod, or one of a node that is gone, may have no state of its container.
  if (phase === 'Failed' || phase === 'Succeeded') {
    return { kind: 'ended', exit: killed(describeEnd(reason, message) ?? 'its Pod failed') };
  }
  if (running && podIP !== '') return { kind: 'running', address: podIP };
  if (waiting?.reason !== undefined && HOPELESS.has(waiting.reason)) {
    return { kind: 'failed', why: clause(waiting.message ?? waiting.reason) };
  }
  if (waiting?.reason !== undefined && UNPULLED.has(waiting.reason)) {
    return { kind: 'pending', why: `its image can't be pulled (${clause(waiting.message ?? waiting.reason)})` };
  }
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return { kind: 'pending', why: clause(scheduled.message), isUnschedulable: true };
  }
  return { kind: 'pending' };
}

function killed(reason: string): Omit<InstanceExit, 'isRequested'> {
  return { exitCode: null, signal: 'SIGKILL', isOutOfMemory: false, reason };
}

/** Kubernetes reports a signal as 128 and its number, as shells do. */
function toExit(exitCode: number, isOutOfMemory: boolean): Omit<InstanceExit, 'isRequested'> {
  const signal = signalOfExitCode(exitCode);
  return signal === undefined ? { exitCode, signal: null, isOutOfMemory } : { exitCode: null, signal, isOutOfMemory };
}

/** Returns why the cluster ended a Pod; undefined when its program ended by itself. */
function describeEnd(reason: string | undefined, message: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  if (reason === 'Evicted') return `the node evicted it (${clause(message)})`;
  if (reason === 'NodeLost' || reason === 'Terminated' || reason === 'NodeShutdown') return 'its node went away';
  if (reason === 'Preempting' || reason === 'Preempted') return 'a Pod with a higher priority took its place';
  return message === undefined ? reason : `${reason}: ${clause(message)}`;
}

function clause(text = 'no reason was given'): string {
  return text.trim().replace(/\.$/, '');
}
