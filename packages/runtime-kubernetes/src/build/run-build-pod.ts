import { PassThrough, type Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildProgress, explainBuildFailure, formatBytes, type ImageSource } from '@berth/builder/image';
import { createError } from '@berth/contract';
import { describeError, type Logger } from '@berth/kit';
import { createLineSplitter } from '@berth/runtime';
import { Attach, Log, type V1ContainerStatus, type V1Pod } from '@kubernetes/client-node';
import { type Kube, messageOf } from '../api/kube.ts';
import type { PodWatch } from '../api/pod-watch.ts';
import { deletePod } from '../run/create-instance.ts';
import { type BuildPlan, type BuildPolicy, buildPodOf, type Stage } from './build-pod.ts';
import { readBuildahLine } from './read-buildah-output.ts';

/** Options of {@link runBuildPod}. */
export interface RunBuildPodOptions {
  readonly kube: Kube;
  /** Watches the Pods of builds. */
  readonly pods: PodWatch;
  readonly policy: BuildPolicy;
  readonly plan: BuildPlan;
  readonly source: Pick<ImageSource, 'pack' | 'titles'>;
  readonly progress: BuildProgress;
  readonly outputBytes: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** How long a Pod may wait for a node, for the builder's image, or for its first container. */
const BEGIN_MS = 180_000;
/** Bytes of the context on their way to the API server. */
const WINDOW_BYTES = 4 * 2 ** 20;

/**
 * Builds an image in a Pod, and pushes it. Resolves with its digest when the Pod is deleted.
 * @throws BerthError `build_failed`, `build_timeout`, `out_of_capacity` or `cancelled`
 */
export async function runBuildPod(options: RunBuildPodOptions): Promise<string> {
  const { kube, policy, plan, signal, logger } = options;
  const place = { namespace: policy.namespace, name: plan.name };
  signal.throwIfAborted();
  try {
    await kube.core.createNamespacedPod({ namespace: policy.namespace, body: buildPodOf(plan, policy) });
    return await follow(options, place);
  } catch (error) {
    if (signal.aborted) throw createError('cancelled', 'The build was canceled.', { cause: error });
    throw error;
  } finally {
    await deletePod(kube, place, 0).catch((error: unknown) =>
      logger.warn({ pod: plan.name, error: describeError(error) }, 'the Pod of a build was left behind'),
    );
  }
}

async function follow(options: RunBuildPodOptions, place: { namespace: string; name: string }): Promise<string> {
  const { pods, signal } = options;
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let latest: V1Pod | undefined;
  const listeners = new Set<() => void>();
  const stopFollowing = pods.follow(place.namespace, place.name, (pod) => {
    latest = pod ?? latest;
    if (pod === undefined) over.abort(createError('build_failed', 'The Pod of the build was deleted. Deploy again.'));
    for (const listener of [...listeners]) listener();
  });
  /** Resolves when the Pod is in a state. @throws the reason of `until` */
  const when = (test: (pod: V1Pod) => boolean, deadlineMs?: number): Promise<V1Pod> =>
    new Promise((resolve, reject) => {
      const timer =
        deadlineMs === undefined ? undefined : setTimeout(() => end(() => reject(notBegun(latest))), deadlineMs);
      const look = () => {
        if (until.aborted) end(() => reject(until.reason));
        else if (latest && test(latest)) {
          const found = latest;
          end(() => resolve(found));
        }
      };
      const end = (settle: () => void) => {
        clearTimeout(timer);
        listeners.delete(look);
        until.removeEventListener('abort', look);
        settle();
      };
      listeners.add(look);
      until.addEventListener('abort', look, { once: true });
      look();
    });
  try {
    await when((pod) => hasBegun(pod, 'context') || hasEnded(pod), BEGIN_MS);
    await sendContext(options, place, until);
    await when((pod) => hasBegun(pod, 'build') || hasEnded(pod));
    await readOutput(options, place, until);
    const ended = await when(hasEnded);
    return digestOf(ended, options);
  } finally {
    over.abort();
    stopFollowing();
  }
}

function statusOf(pod: V1Pod, stage: Stage): V1ContainerStatus | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === stage);
}

function hasBegun(pod: V1Pod, stage: Stage): boolean {
  const state = statusOf(pod, stage)?.state;
  return state?.running !== undefined || state?.terminated !== undefined;
}

function hasEnded(pod: V1Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function notBegun(pod: V1Pod | undefined): Error {
  const condition = pod?.status?.conditions?.find(({ status, message }) => status === 'False' && message);
  const waiting = pod && statusOf(pod, 'context')?.state?.waiting;
  const why = waiting?.message ?? condition?.message ?? 'it has no node';
  return createError('out_of_capacity', `The build did not begin in ${BEGIN_MS / 1_000} seconds: ${why}.`);
}

/** Streams the context to the first container, which unpacks it. */
async function sendContext(
  { kube, source }: RunBuildPodOptions,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<void> {
  const context: Readable = source.pack();
  const stdin = new PassThrough();
  const errors: Buffer[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      errors.push(chunk);
      done();
    },
  });
  try {
    const stage: Stage = 'context';
    const socket = await new Attach(kube.config).attach(namespace, name, stage, null, stderr, stdin, false);
    const closed = new Promise<void>((resolve) => {
      socket.onclose = () => resolve();
    });
    for await (const chunk of context) {
      signal.throwIfAborted();
      stdin.write(chunk);
      // The library sends what it reads, however much is on its way.
      while (socket.bufferedAmount > WINDOW_BYTES && socket.readyState === socket.OPEN) await sleep(5);
      if (socket.readyState !== socket.OPEN) break;
    }
    stdin.end();
    await closed;
  } finally {
    context.destroy();
  }
}

/** Follows the output of the project's build. */
async function readOutput(
  { kube, progress, outputBytes }: RunBuildPodOptions,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<void> {
  const splitter = createLineSplitter();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = async (lines: readonly string[]) => {
    for (const line of lines) for (const event of readBuildahLine(line)) await progress.take(event);
    if (progress.outputBytes > outputBytes) {
      throw createError('build_failed', `The build printed more than ${formatBytes(outputBytes)} and was ended.`);
    }
  };
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(splitter.push(chunk)).then(() => done(), done);
    },
    final(done) {
      take(splitter.flush()).then(() => done(), done);
    },
  });
  sink.on('finish', resolve);
  sink.on('error', reject);
  const abort = () => sink.destroy(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const stage: Stage = 'build';
    await new Log(kube.config).log(namespace, name, stage, sink, { follow: true });
    await promise;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error ? error : createError('build_failed', messageOf(error));
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the digest that the last container reported. @throws BerthError what went wrong */
function digestOf(pod: V1Pod, { progress, plan, source }: RunBuildPodOptions): string {
  const ended = (stage: Stage) => statusOf(pod, stage)?.state?.terminated;
  const details = { details: { ...(progress.step && { step: progress.step.title }), logs: progress.logs } };
  if (pod.status?.reason === 'DeadlineExceeded') {
    const text = `The build took longer than ${plan.timeoutSeconds} seconds and was stopped`;
    throw createError('build_timeout', text, details);
  }
  if (pod.status?.reason === 'Evicted') {
    throw createError('build_failed', `The node ended the build: ${pod.status.message ?? 'it was evicted'}`, details);
  }
  const build = ended('build');
  if (build === undefined || build.exitCode !== 0) {
    throw explainBuildFailure({
      message: progress.failure?.message ?? ended('context')?.message ?? 'its context could not be unpacked',
      exitCode: progress.failure?.exitCode,
      step: progress.step,
      logs: progress.logs,
      isOutOfMemory: build?.reason === 'OOMKilled',
      memoryLimit: formatBytes(plan.limits.memoryBytes),
      isGenerated: source.titles !== undefined,
    });
  }
  const push = ended('push');
  const digest = /^sha256:[0-9a-f]{64}$/.exec((push?.message ?? '').trim())?.[0];
  if (push?.exitCode === 0 && digest !== undefined) return digest;
  throw createError(
    'build_failed',
    `The image could not be pushed to ${plan.reference}: ${(push?.message ?? 'the Pod ended').trim().slice(0, 500)}`,
    details,
  );
}
