import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import { createLineSplitter, type InstanceExit, type OutputSink, type ReleaseCommand } from '@berth/runtime';
import { createInstanceEvents } from '../instances/instance-events.ts';
import { ServiceInstance } from '../instances/service-instance.ts';
import { toInstanceSpec } from '../instances/start-instance.ts';
import type { ReleaseOptions, RevisionTarget } from '../port/gateway.ts';
import { deployCancelled, whenThereIsCapacity } from './activate-revision.ts';
import type { PoolContext } from './revision-pool.ts';
import type { Service } from './service.ts';

/**
 * Runs a revision's release command to its end, in a separate instance that takes no requests. The current revision keeps serving.
 * When the promise settles, no process of the command is left.
 *
 * @throws BerthError `start_failed`, `start_timeout`, `out_of_capacity` or `cancelled`.
 */
export async function runRelease(
  context: PoolContext,
  service: Service,
  target: RevisionTarget,
  options: ReleaseOptions,
): Promise<void> {
  const { release } = target.artifact;
  if (release === undefined) return;
  const cancel = new AbortController();
  const signal = AbortSignal.any([options.signal, cancel.signal]);
  if (signal.aborted) throw deployCancelled();
  const work = whenThereIsCapacity(context, target, signal, () =>
    runOnce(context, target, release, { ...options, signal }),
  );
  service.activations.add(cancel);
  service.releases.add(work);
  try {
    await work;
  } catch (error) {
    throw signal.aborted ? deployCancelled() : error;
  } finally {
    service.activations.delete(cancel);
    service.releases.delete(work);
  }
}

async function runOnce(
  context: PoolContext,
  target: RevisionTarget,
  { title, command }: ReleaseCommand,
  { signal, onProgress = () => {}, onOutput = () => {} }: ReleaseOptions,
): Promise<void> {
  const { clock, host, ids, policy, runtime } = context;
  const events = createInstanceEvents(context, target);
  const instance = new ServiceInstance(ids.next<'instance'>('inst'), 'release', '', clock.monotonicMs());
  const { account, deployment, revision } = target;
  const splitters = { stdout: createLineSplitter(), stderr: createLineSplitter() };
  const output: OutputSink = (stream, chunk) => {
    for (const line of splitters[stream].push(chunk)) onOutput(line);
    return context.events.onOutput({ account, deployment, revision, instance: instance.id }, stream, chunk);
  };
  const over = new AbortController();
  await runtime.prepare?.(target.artifact, { signal, onNotice: onProgress });
  const capacity = await host.reserve(target, signal);
  try {
    onProgress(`Running the release command: ${title}`);
    const startMs = clock.monotonicMs();
    instance.billable.start(startMs);
    const handle = await runtime.start({ ...toInstanceSpec(target, instance, output), command }, { signal });
    events.emit(instance, { kind: 'started', reason: 'release' });
    const stopped = Promise.race([whenAborted(signal), clock.sleep(policy.releaseTimeoutMs, over.signal)]).then(() =>
      handle.stop({ graceMs: policy.stopGraceMs }),
    );
    // The sleep rejects when the command ends by itself, and nothing awaits it then.
    stopped.catch(() => {});
    const exit = await handle.exited;
    for (const splitter of Object.values(splitters)) for (const line of splitter.flush()) onOutput(line);
    // The runtime removes processes and files that the command left behind.
    await handle.stop();
    instance.billable.stop(clock.monotonicMs());
    const isDone = exit.exitCode === 0 && !exit.isRequested;
    const reason = isDone ? 'completed' : 'replaced';
    if (isDone || exit.isRequested) events.emit(instance, { kind: 'stopped', reason, exit });
    else events.emit(instance, { kind: 'crashed', exit });
    signal.throwIfAborted();
    if (!isDone) throw releaseFailed(title, exit, policy.releaseTimeoutMs, target.memoryBytes);
    onProgress(`The release command finished after ${((clock.monotonicMs() - startMs) / 1_000).toFixed(1)} s`);
  } finally {
    over.abort();
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

function releaseFailed(title: string, exit: InstanceExit, timeoutMs: number, memoryBytes: number): BerthError {
  const command = `The release command "${title}"`;
  if (exit.isOutOfMemory) {
    return createError(
      'start_failed',
      `${command} exceeded the service's ${Math.floor(memoryBytes / 2 ** 20)} MiB memory limit.`,
    );
  }
  if (exit.isRequested) {
    return createError('start_timeout', `${command} took longer than ${timeoutMs / 1_000} seconds and was stopped.`);
  }
  const how = exit.signal === null ? `failed with exit code ${exit.exitCode}` : `was killed by ${exit.signal}`;
  return createError('start_failed', `${command} ${how}.`);
}
