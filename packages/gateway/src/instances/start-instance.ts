import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { Instance, InstanceExit, InstanceSpec, OutputSink } from '@berth/runtime';
import type { RevisionTarget } from '../port/gateway.ts';
import type { InstanceContext } from './instance-context.ts';
import { waitForPort } from './probe-port.ts';
import { createReadiness } from './readiness.ts';
import type { ServiceInstance } from './service-instance.ts';
import { exitedBeforeReady, neverListened, neverReady, noTurnInTime } from './start-errors.ts';
import { watchForWrongPort } from './watch-for-wrong-port.ts';

/** Callbacks for the steps of a start. */
export interface StartHooks {
  /** Called when the program runs. */
  onSpawned(handle: Instance): void;
  /** Called with something that the owner should know: a sentence without a full stop. */
  onNotice(message: string): void;
}

/** The program that is ready, or the error of the start; `exit` is set when the program has ended. */
export type StartOutcome =
  | { readonly handle: Instance; readonly error?: undefined; readonly exit?: undefined }
  | { readonly error: BerthError; readonly exit?: InstanceExit };

/**
 * Starts an instance and waits until it is ready: brings its artifact to this machine, reserves capacity, waits for a start slot, starts
 * the program, and waits for its port and its checks. Records the times of these steps. Never rejects. After a failure the caller releases the capacity and stops the
 * program, if there is one.
 */
export async function startInstance(
  context: InstanceContext,
  target: RevisionTarget,
  instance: ServiceInstance,
  hooks: StartHooks,
): Promise<StartOutcome> {
  const { clock, host, policy, runtime } = context;
  const { signal } = instance.waitAbort;
  try {
    await runtime.prepare?.(target.artifact, { signal, onNotice: hooks.onNotice });
  } catch (error) {
    return { error: toStartError(signal.aborted ? signal.reason : error) };
  }
  const noCapacityTimer = clock.setTimer(policy.startTimeoutMs, () =>
    instance.waitAbort.abort(noTurnInTime(policy.startTimeoutMs)),
  );
  let releaseStart: (() => void) | undefined;
  let handle: Instance;
  try {
    instance.reservation = await host.reserve(target, signal);
    releaseStart = await host.acquireStart(signal);
    instance.scheduledAtMs = clock.monotonicMs();
    instance.billable.start(instance.scheduledAtMs);
    const { account, deployment, revision } = target;
    const source = { account, deployment, revision, instance: instance.id };
    const output: OutputSink = (stream, chunk) => context.events.onOutput(source, stream, chunk);
    handle = await runtime.start(toInstanceSpec(target, instance, output), { signal });
  } catch (error) {
    releaseStart?.();
    return { error: toStartError(signal.aborted ? signal.reason : error) };
  } finally {
    noCapacityTimer.cancel();
  }

  let exit: InstanceExit | undefined;
  handle.exited.then((ended) => {
    exit = ended;
  });
  instance.handle = handle;
  instance.spawnedAtMs = clock.monotonicMs();
  hooks.onSpawned(handle);
  const readiness = createReadiness(context, target, handle, hooks.onNotice);
  instance.readiness = readiness;

  const outcome = await waitForPort({
    instance: handle,
    probe: context.probes.port,
    readiness,
    clock,
    policy,
    timeoutMs: policy.startTimeoutMs,
    signal,
    onPause: watchForWrongPort(handle, policy, {
      onFound: hooks.onNotice,
      onGivenUp: (error) => instance.waitAbort.abort(error),
    }),
  });
  releaseStart();
  if (exit !== undefined) {
    return { exit, error: exitedBeforeReady(exit, handle.port, target.memoryBytes, readiness.problem !== undefined) };
  }
  if (outcome === 'aborted') return { error: toStartError(signal.reason) };
  if (outcome === 'timeout') {
    if (readiness.problem !== undefined) return { error: neverReady(readiness.problem, policy.startTimeoutMs) };
    const ports = await handle.listeningPorts().catch(() => []);
    const loopback = (await handle.loopbackPorts?.().catch(() => [])) ?? [];
    return { error: neverListened(ports, handle.port, policy.startTimeoutMs, loopback) };
  }
  return { handle };
}

/** Returns the spec of an instance of a revision. */
export function toInstanceSpec(target: RevisionTarget, { id }: ServiceInstance, output: OutputSink): InstanceSpec {
  const { account, deployment, revision, artifact, env, port, memoryBytes, cpuMillis, mounts } = target;
  const owner = { account, deployment };
  return { instanceId: id, owner, revision, artifact, env, port, memoryBytes, cpuMillis, mounts, output };
}

function toStartError(error: unknown): BerthError {
  if (BerthError.is(error)) return error;
  return createError(
    'start_failed',
    "The service could not be started because of a platform error. See the platform's log.",
    {
      cause: error,
    },
  );
}
