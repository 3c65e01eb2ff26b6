import { createError } from '@berth/contract/errors';
import type { BerthError } from '@berth/kit';
import { createLineSplitter, type InstanceExit, type ReleaseCommand } from '@berth/runtime';
import type { ReleaseOptions, RevisionTarget } from '../port/gateway.ts';
import { deployCancelled, whenThereIsCapacity } from './activate-revision.ts';
import { runOneOff } from './one-offs.ts';
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
  const { clock, policy } = context;
  const splitters = { stdout: createLineSplitter(), stderr: createLineSplitter() };
  const over = new AbortController();
  const late = new AbortController();
  let startMs = 0;
  try {
    const exit = await runOneOff(context, target, {
      command,
      reason: 'release',
      signal: AbortSignal.any([signal, late.signal]),
      stopReason: () => 'replaced',
      onNotice: onProgress,
      onOutput(stream, chunk) {
        for (const line of splitters[stream].push(chunk)) onOutput(line);
      },
      onStarting() {
        onProgress(`Running the release command: ${title}`);
        startMs = clock.monotonicMs();
      },
      onStarted() {
        // The sleep rejects when the command ends by itself, and nothing awaits it then.
        clock.sleep(policy.releaseTimeoutMs, over.signal).then(
          () => late.abort(),
          () => {},
        );
      },
    });
    for (const splitter of Object.values(splitters)) for (const line of splitter.flush()) onOutput(line);
    signal.throwIfAborted();
    if (exit.exitCode !== 0 || exit.isRequested) {
      throw releaseFailed(title, exit, policy.releaseTimeoutMs, target.memoryBytes);
    }
    onProgress(`The release command finished after ${((clock.monotonicMs() - startMs) / 1_000).toFixed(1)} s`);
  } finally {
    over.abort();
  }
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
