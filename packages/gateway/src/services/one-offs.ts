import { createError } from '@berth/contract/errors';
import { BerthError, type InstanceId } from '@berth/kit';
import type { InstanceExit, OutputSink } from '@berth/runtime';
import { createInstanceEvents } from '../instances/instance-events.ts';
import { ServiceInstance } from '../instances/service-instance.ts';
import { toInstanceSpec } from '../instances/start-instance.ts';
import type { GatewayControl, RevisionTarget, StartReason, StopReason } from '../port/gateway.ts';
import { whenThereIsCapacity } from './activate-revision.ts';
import type { PoolContext } from './revision-pool.ts';

/** A program in an instance that takes no requests. */
export interface OneOffProgram {
  readonly command: readonly string[];
  readonly reason: StartReason & ('release' | 'run');
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when it has capacity, before its program runs. */
  onStarting?(): void;
  onStarted?(instance: InstanceId): void;
  onOutput?: OutputSink;
  onNotice?(message: string): void;
  /** Returns why it was ended. */
  stopReason(): StopReason;
}

/**
 * Runs a program in an instance of a revision that takes no requests, with its environment, volumes and limits. When the promise settles,
 * no process of it is left.
 * @throws BerthError `start_failed` or `out_of_capacity`; the signal's reason when it is aborted before the program runs.
 */
export async function runOneOff(
  context: PoolContext,
  target: RevisionTarget,
  program: OneOffProgram,
): Promise<InstanceExit> {
  const { clock, host, ids, policy, runtime } = context;
  const { command, reason, signal, onOutput } = program;
  const events = createInstanceEvents(context, target);
  const instance = new ServiceInstance(ids.next<'instance'>('inst'), reason, '', clock.monotonicMs());
  const { account, deployment, revision } = target;
  const output: OutputSink = (stream, chunk) => {
    void onOutput?.(stream, chunk);
    return context.events.onOutput({ account, deployment, revision, instance: instance.id }, stream, chunk);
  };
  await runtime.prepare?.(target.artifact, { signal, onNotice: program.onNotice ?? (() => {}) });
  const capacity = await host.reserve(target, signal);
  const bill = (): void => {
    events.billed(instance);
    meter = clock.setTimer(policy.tickMs, bill);
  };
  let meter = clock.setTimer(policy.tickMs, bill);
  try {
    program.onStarting?.();
    instance.billable.start(clock.monotonicMs());
    const handle = await runtime.start({ ...toInstanceSpec(target, instance, output), command }, { signal });
    events.emit(instance, { kind: 'started', reason });
    program.onStarted?.(instance.id);
    void whenAborted(signal).then(() => handle.stop({ graceMs: policy.stopGraceMs }));
    const exit = await handle.exited;
    // The runtime removes processes and files that the program left behind.
    await handle.stop();
    instance.billable.stop(clock.monotonicMs());
    const isDone = exit.exitCode === 0 && !exit.isRequested;
    if (isDone || exit.isRequested) {
      events.emit(instance, { kind: 'stopped', reason: isDone ? 'completed' : program.stopReason(), exit });
    } else events.emit(instance, { kind: 'crashed', exit });
    return exit;
  } finally {
    meter.cancel();
    instance.billable.stop(clock.monotonicMs());
    events.billed(instance);
    events.emit(instance, { kind: 'ended' });
    capacity.release();
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The program of a one-off instance, which waits for the commands that run in it. A day is the longest time of one. */
const WAIT = ['sh', '-c', 'trap "exit 0" TERM; sleep 86400 & wait'] as const;

/** A one-off instance that runs or starts. */
interface OneOff {
  readonly deployment: string;
  /** Resolves when nothing of it is left. */
  end(reason: StopReason): Promise<void>;
}

/** Creates the one-off instances of a gateway. They end when they are released, with their deployment, and with the gateway. */
export function createOneOffs(context: PoolContext) {
  const all = new Set<OneOff>();
  const startOneOff: GatewayControl['startOneOff'] = async (target, { signal }) => {
    signal.throwIfAborted();
    const over = new AbortController();
    const started = Promise.withResolvers<InstanceId>();
    started.promise.catch(() => {});
    let stopReason: StopReason = 'completed';
    const work = whenThereIsCapacity(context, target, over.signal, async () => {
      const program = { command: WAIT, reason: 'run', signal: over.signal, onStarted: started.resolve } as const;
      await runOneOff(context, target, { ...program, stopReason: () => stopReason });
    });
    // Does nothing once it has started.
    const ended = work.catch(started.reject).then(() => void all.delete(one));
    const one: OneOff = {
      deployment: target.deployment,
      end(reason) {
        if (!over.signal.aborted) stopReason = reason;
        over.abort(createError('cancelled', 'The instance was ended before its program ran.'));
        return ended;
      },
    };
    all.add(one);
    const abort = () => void one.end('completed');
    signal.addEventListener('abort', abort, { once: true });
    try {
      const instance = await started.promise;
      return { instance, revision: target.revision, release: () => void one.end('completed') };
    } catch (error) {
      throw signal.aborted ? signal.reason : BerthError.is(error) ? error : startFailed(error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
  return {
    startOneOff,
    /** Ends those of a deployment, or all. Resolves when nothing of them is left. */
    async end(reason: StopReason, deployment?: string): Promise<void> {
      const ending = [...all].filter((one) => (deployment ?? one.deployment) === one.deployment);
      await Promise.all(ending.map((one) => one.end(reason)));
    },
  };
}

function startFailed(cause: unknown): BerthError {
  return createError('start_failed', 'The instance failed to start. See the log of the server.', { cause });
}
