import type { Readable } from 'node:stream';
import type { BuildProgress } from '@berth/builder/image';
import { type BuildLimits, explainBuildFailure, formatBytes, type ImageSource } from '@berth/builder/image';
import { createError } from '@berth/contract';
import { type BerthError, runInBackground } from '@berth/kit';
import { engineMessage, engineStatus, isEngineAway } from '../engine/engine-errors.ts';
import type { Engine, EngineContext } from '../engine/open-engine.ts';
import { readJsonLines } from '../engine/read-json-lines.ts';
import { readWrittenBytes } from '../run/watch-disk.ts';
import { type BuildMessage, createBuildReader } from './read-build-output.ts';
import { type BuildWatcher, watchBuilds } from './watch-builds.ts';

/** Options of {@link runBuild}. */
export interface RunBuildOptions extends Omit<EngineContext, 'serverId'> {
  readonly limits: BuildLimits;
  /** Name of the account's build network. */
  readonly network: string;
  /** Name for the image. */
  readonly name: string;
  readonly source: ImageSource;
  readonly progress: BuildProgress;
  /** On the clock's monotonic scale. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Fetches the base images and rejects the build when one isn't allowed. */
  checkBases(signal: AbortSignal): Promise<void>;
  /** Resolves with true when the engine's disk is too full to go on. */
  isDiskLow(): Promise<boolean>;
}

/** Interval of checks of a running step's disk use, for which the engine walks the step's files. */
const DISK_CHECK_MS = 5_000;
/** Maximum wait for the engine to remove a stopped step. */
const SETTLE_MS = 15_000;
const CPU_PERIOD_US = 100_000;

type Ending = 'timeout' | 'cancelled' | 'output_limit' | 'disk_limit' | 'disk_full';

/**
 * Builds an image with the engine and returns the image's id. If the build is ended early (time, disk, output, `signal`), waits until the
 * engine has stopped the running step.
 * @throws BerthError `build_failed`, `build_timeout`, `out_of_capacity`, `cancelled`; `unavailable` when the connection to the engine is lost,
 *   or a layer (see {@link isLayerLost}).
 */
export async function runBuild(options: RunBuildOptions): Promise<string> {
  const { clock, logger, limits, network, progress, signal } = options;
  const watcher = await watchBuilds(options, network, limits.processes);
  const stop = new AbortController();
  const over = new AbortController();
  let ending: Ending | undefined;
  let unreadable: { readonly error: unknown } | undefined;
  const end = (why: Ending) => {
    ending ??= why;
    stop.abort();
  };
  const cancel = () => end('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  runInBackground(
    'build time',
    ignoreAbort(clock.sleep(options.deadlineMs - clock.monotonicMs(), over.signal), () => end('timeout')),
    logger,
  );
  runInBackground(
    'build disk',
    ignoreAbort(watchDisk(options, watcher, over.signal), (why) => why && end(why)),
    logger,
  );
  try {
    return await follow(options, watcher, stop.signal, {
      onTooMuch: () => end('output_limit'),
      onUnreadable(error) {
        // Ending the build also aborts its context.
        if (ending !== undefined) return;
        unreadable ??= { error };
        stop.abort();
      },
    });
  } catch (error) {
    if (unreadable !== undefined) throw unreadable.error;
    if (ending === undefined) throw error;
    await settle(options, watcher);
    throw explainEnding(ending, limits, progress);
  } finally {
    over.abort();
    signal.removeEventListener('abort', cancel);
    await watcher[Symbol.asyncDispose]();
  }
}

interface FollowOptions {
  /** Called when the build exceeds its output limit. */
  onTooMuch(): void;
  /** Called when the build context can't be read. */
  onUnreadable(error: unknown): void;
}

async function follow(
  options: RunBuildOptions,
  watcher: BuildWatcher,
  signal: AbortSignal,
  { onTooMuch, onUnreadable }: FollowOptions,
): Promise<string> {
  const { engine, limits, source, progress } = options;
  const explain = (message: string, exitCode?: number) =>
    explainBuildFailure({
      ...{ message, exitCode, step: progress.step, logs: progress.logs },
      isOutOfMemory: progress.containers.some((id) => watcher.isOutOfMemory(watcher.find(id) ?? '')),
      memoryLimit: formatBytes(limits.memoryBytes),
      isGenerated: source.titles !== undefined,
    });
  const reader = createBuildReader();
  const context = source.pack().once('error', onUnreadable);
  try {
    await options.checkBases(signal);
    const stream = await request(options, context, signal);
    for await (const message of readJsonLines<BuildMessage>(stream)) {
      for (const event of reader.push(message)) await progress.take(event);
      if (progress.outputBytes > limits.outputBytes) onTooMuch();
      signal.throwIfAborted();
    }
    for (const event of reader.flush()) await progress.take(event);
  } catch (error) {
    if (signal.aborted) throw error;
    if (engineStatus(error) !== undefined) throw explain(engineMessage(error));
    throw isEngineAway(error) ? engineGone(engine, error) : error;
  } finally {
    // The client doesn't close a stream that it hasn't read to its end, which would leave a file open.
    context.destroy();
  }
  const { failure, image } = progress;
  if (failure !== undefined && LOST_LAYER.test(failure.message)) throw layerLost(failure.message);
  if (failure !== undefined) throw explain(failure.message, failure.exitCode);
  // When an engine shuts down, its stream ends without an error.
  if (image === undefined) throw engineGone(engine);
  return image;
}

function request(
  { engine, limits, network, name, source }: RunBuildOptions,
  context: Readable,
  abortSignal: AbortSignal,
): Promise<Readable> {
  return engine.call(
    async (docker) =>
      (await docker.buildImage(context, {
        ...{ t: name, dockerfile: source.dockerfile, buildargs: source.buildArgs, networkmode: network, abortSignal },
        ...{ rm: true, forcerm: true },
        ...{ memory: limits.memoryBytes, memswap: limits.memoryBytes },
        ...{ cpuperiod: CPU_PERIOD_US, cpuquota: Math.round((limits.cpuMillis * CPU_PERIOD_US) / 1_000) },
      })) as Readable,
  );
}

/**
 * The engine has removed a layer that the build was standing on: builds with equal steps share layers, and with the image of one its
 * layers without a name go. Source: moby's classic builder, `daemon/builder.go`.
 */
export const LOST_LAYER = /unable to find image "?sha256:[0-9a-f]{64}/;
const LAYER_LOST = 'The container engine removed a layer shared with another image. Deploy again.';

function layerLost(cause: string): BerthError {
  return createError('unavailable', LAYER_LOST, { cause });
}

/** Returns whether a build ended because its layer was removed, so that it would pass if it began again. */
export function isLayerLost(error: BerthError): boolean {
  return error.message === LAYER_LOST;
}

function engineGone(engine: Engine, cause?: unknown): BerthError {
  return createError('unavailable', `The container engine at ${engine.address} stopped during the build.`, { cause });
}

/** Resolves with the reason when a build exceeds its disk limit or the disk is full. */
async function watchDisk(
  { engine, clock, limits, progress, isDiskLow }: RunBuildOptions,
  watcher: BuildWatcher,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  for (;;) {
    await clock.sleep(DISK_CHECK_MS, signal);
    if (await isDiskLow()) return 'disk_full';
    const id = watcher.find(progress.containers.at(-1));
    if (id === undefined) continue;
    if ((await readWrittenBytes({ engine }, id).catch(() => 0)) > limits.diskBytes) return 'disk_limit';
  }
}

/** Waits until the engine has removed the container of the running step. */
async function settle({ engine, clock, progress }: RunBuildOptions, watcher: BuildWatcher): Promise<void> {
  const id = watcher.find(progress.containers.at(-1));
  if (id === undefined) return;
  const over = new AbortController();
  const removed = engine.docker
    .getContainer(id)
    .wait({ condition: 'removed', abortSignal: over.signal })
    .catch(() => {});
  await Promise.race([removed, ignoreAbort(clock.sleep(SETTLE_MS, over.signal), () => {})]);
  over.abort();
}

function explainEnding(ending: Ending, limits: BuildLimits, { step, logs }: BuildProgress): BerthError {
  const place = step === undefined ? '' : ` in ${step.title} (step ${step.number}/${step.count})`;
  const details = { details: { ...(step ? { step: step.title } : {}), logs } };
  const fail = (code: 'build_failed' | 'build_timeout' | 'cancelled' | 'out_of_capacity', text: string) =>
    createError(code, text, details);
  switch (ending) {
    case 'cancelled':
      return fail('cancelled', 'The build was canceled.');
    case 'timeout':
      return fail(
        'build_timeout',
        `The build took longer than ${limits.timeoutMs / 1_000} seconds and was stopped${place}`,
      );
    case 'output_limit':
      return fail(
        'build_failed',
        `The build printed more than ${formatBytes(limits.outputBytes)} and was ended${place}`,
      );
    case 'disk_limit':
      return fail('build_failed', `The build wrote more than ${formatBytes(limits.diskBytes)} and was ended${place}`);
    case 'disk_full':
      return fail(
        'out_of_capacity',
        `The disk of the container engine has less than ${formatBytes(limits.freeDiskBytes)} free, so the build was ended${place}. The operator must free some space.`,
      );
  }
}

async function ignoreAbort<Value>(work: Promise<Value>, then: (value: Value) => void): Promise<void> {
  const result = await work.then(
    (value) => ({ value }),
    () => undefined,
  );
  if (result !== undefined) then(result.value);
}
