import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { Instance, InstanceExit } from '@berth/runtime';
import type { RevisionTarget } from '../gateway.ts';
import type { InstanceContext } from './instance-context.ts';
import { waitForPort } from './probe-port.ts';
import type { ServiceInstance } from './service-instance.ts';
import { exitedBeforeListening, neverListened, noTurnInTime } from './start-errors.ts';
import { watchForWrongPort } from './watch-for-wrong-port.ts';

/** Hears of a start's steps. */
export interface BringUpHooks {
  /** The program runs. */
  onSpawned(handle: Instance): void;
  /** It listens, but not where it should. Said once. */
  onWrongPort?(message: string): void;
}

/** `error` is absent when the port answers. `exit` is how the program ended, when it has. */
export interface BringUpOutcome {
  readonly error?: BerthError;
  readonly exit?: InstanceExit;
}

/**
 * Takes an instance from nothing to an answering port: memory, its turn, its program, its port. Sets the times of these steps.
 * Never rejects. After a failure the memory and, when there is one, the running program are left to the caller.
 */
export async function bringUp(
  context: InstanceContext,
  target: RevisionTarget,
  instance: ServiceInstance,
  hooks: BringUpHooks,
): Promise<BringUpOutcome> {
  const { clock, host, policy, runtime } = context;
  const { signal } = instance.waitAbort;
  const noRoomTimer = clock.setTimer(policy.startTimeoutMs, () =>
    instance.waitAbort.abort(noTurnInTime(policy.startTimeoutMs)),
  );
  let endTurn: (() => void) | undefined;
  let handle: Instance;
  try {
    instance.reservation = await host.reserve(target, signal);
    endTurn = await host.startTurn(signal);
    instance.scheduledAtMs = clock.monotonicMs();
    instance.billable.start(instance.scheduledAtMs);
    handle = await runtime.start(
      {
        instanceId: instance.id,
        owner: { account: target.account, deployment: target.deployment },
        revision: target.revision,
        artifact: target.artifact,
        env: target.env,
        port: target.port,
        memoryBytes: target.memoryBytes,
        cpuMillis: target.cpuMillis,
        mounts: target.mounts,
        output: (stream, chunk) =>
          context.events.onOutput(
            {
              account: target.account,
              deployment: target.deployment,
              revision: target.revision,
              instance: instance.id,
            },
            stream,
            chunk,
          ),
      },
      { signal },
    );
  } catch (error) {
    endTurn?.();
    return { error: toStartError(signal.aborted ? signal.reason : error) };
  } finally {
    noRoomTimer.cancel();
  }

  let exit: InstanceExit | undefined;
  handle.exited.then((ended) => {
    exit = ended;
  });
  instance.handle = handle;
  instance.spawnedAtMs = clock.monotonicMs();
  hooks.onSpawned(handle);

  const outcome = await waitForPort({
    instance: handle,
    probe: context.probe,
    clock,
    policy,
    timeoutMs: policy.startTimeoutMs,
    signal,
    onPause: watchForWrongPort(handle, policy.wrongPortMs, {
      onFound: (message) => hooks.onWrongPort?.(message),
      onGivenUp: (error) => instance.waitAbort.abort(error),
    }),
  });
  endTurn();
  if (exit !== undefined) {
    return { exit, error: exitedBeforeListening(exit, handle.port, target.memoryBytes) };
  }
  if (outcome === 'aborted') return { error: toStartError(signal.reason) };
  if (outcome === 'timeout') {
    const ports = await handle.listeningPorts().catch(() => []);
    const loopback = (await handle.loopbackPorts?.().catch(() => [])) ?? [];
    return { error: neverListened(ports, handle.port, policy.startTimeoutMs, loopback) };
  }
  return {};
}

function toStartError(error: unknown): BerthError {
  if (BerthError.is(error)) return error;
  return createError('start_failed', 'The service could not be started: the platform failed. Its own log says why.', {
    cause: error,
  });
}
