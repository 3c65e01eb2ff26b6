import {
  type BuildProgress,
  explainBuildFailure,
  formatBytes,
  type ImageSource,
  ownWorkFolder,
} from '@berth/builder/image';
import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { createLineSplitter } from '@berth/runtime';
import { type ExecOptions, execInPod } from '../api/exec.ts';
import type { Kube } from '../api/kube.ts';
import { UNPRIVILEGED } from '../pod/pod-spec.ts';
import {
  type BuilderContainer,
  type BuildPlan,
  type BuildPolicy,
  buildCommand,
  CLEAN,
  INSPECT,
  LOCAL,
  pushCommand,
  UNPACK,
} from './build-pod.ts';
import type { BuilderPod } from './builder-pods.ts';
import { readBuildahLine } from './read-buildah-output.ts';

/** Options of {@link runBuild}. */
export interface RunBuildOptions {
  readonly kube: Kube;
  readonly pod: BuilderPod;
  readonly policy: BuildPolicy;
  readonly plan: BuildPlan;
  readonly source: Pick<ImageSource, 'pack' | 'titles'>;
  readonly progress: BuildProgress;
  readonly outputBytes: number;
  /** Formatted for people. */
  readonly memoryLimit: string;
  readonly say: (line: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs a command in a container of the Pod. */
type Run = (
  container: BuilderContainer,
  command: readonly string[],
  more?: Pick<ExecOptions, 'input' | 'onOutput'>,
) => Promise<number>;

/** Characters of an error of buildah that people see. */
const MESSAGE_LENGTH = 500;

/**
 * Builds an image in a Pod, and pushes it. Resolves with its digest.
 * @throws BerthError `build_failed`, `build_timeout`; `unavailable` when the Pod or the connection to it was lost; the reason of the signal
 */
export async function runBuild(options: RunBuildOptions): Promise<string> {
  const { kube, pod, policy, plan, source, signal } = options;
  const timeout = AbortSignal.timeout(plan.timeoutSeconds * 1_000);
  const until = AbortSignal.any([signal, pod.ended, timeout]);
  const run: Run = (container, command, more) =>
    execInPod(kube, { namespace: pod.namespace, pod: pod.name, container, command, signal: until, ...more });
  try {
    await run('build', CLEAN);
    const unpacked = await collect((onOutput) => run('build', UNPACK, { input: source.pack(), onOutput }));
    if (unpacked.code !== 0) throw failure(options, `its context could not be unpacked: ${unpacked.text}`);
    const code = await build(options, (onOutput) => run('build', buildCommand(plan, policy), { onOutput }));
    if (code !== 0) throw failure(options, 'buildah ended');
    // Dockerfiles that Berth generates already give the project to the unprivileged user.
    if (source.titles === undefined) await giveWorkFolder(options, run);
    const pushed = await collect((onOutput) => run('push', pushCommand(plan, policy), { onOutput }));
    const digest = /^sha256:[0-9a-f]{64}$/m.exec(pushed.text)?.[0];
    if (pushed.code === 0 && digest !== undefined) return digest;
    throw createError('build_failed', `The image could not be pushed to ${plan.reference}: ${pushed.text}`, {
      details: detailsOf(options),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) {
      const text = `The build took longer than ${plan.timeoutSeconds} seconds and was stopped`;
      throw createError('build_timeout', text, { details: detailsOf(options) });
    }
    if (pod.isOutOfMemory()) throw failure(options, 'it ran out of memory', true);
    throw BerthError.is(error) ? error : createError('build_failed', String(error), { cause: error });
  }
}

/** Runs buildah, and reports what it prints. */
async function build(
  { progress, outputBytes }: RunBuildOptions,
  run: (onOutput: (chunk: Buffer) => Promise<void>) => Promise<number>,
): Promise<number> {
  const splitter = createLineSplitter();
  const take = async (lines: readonly string[]) => {
    for (const line of lines) for (const event of readBuildahLine(line)) await progress.take(event);
    if (progress.outputBytes > outputBytes) {
      throw createError('build_failed', `The build printed more than ${formatBytes(outputBytes)} and was ended.`);
    }
  };
  const code = await run((chunk) => take(splitter.push(chunk)));
  await take(splitter.flush());
  return code;
}

/** Gives the WORKDIR of the built image to the user that its program runs as, if the image has none. */
async function giveWorkFolder({ policy, say }: RunBuildOptions, run: Run): Promise<void> {
  const inspected = await collect((onOutput) => run('build', INSPECT, { onOutput }));
  if (inspected.code !== 0) throw createError('build_failed', `The image could not be read: ${inspected.text}`);
  const [user = '', workFolder = '', triggers = '0'] = inspected.text.split('\n');
  await ownWorkFolder({
    ...{ image: LOCAL, uid: UNPRIVILEGED, say },
    config: { User: user, WorkingDir: workFolder, OnBuild: Array<string>(Number(triggers)).fill('') },
    async build(step) {
      await run('build', CLEAN);
      const unpacked = await collect((onOutput) => run('build', UNPACK, { input: step.pack(), onOutput }));
      const built = await collect((onOutput) => run('build', buildCommand(step, policy), { onOutput }));
      if (unpacked.code !== 0 || built.code !== 0) throw createError('build_failed', `${unpacked.text}${built.text}`);
      return LOCAL;
    },
  });
}

/** Runs a command whose output is short. */
async function collect(
  run: (onOutput: (chunk: Buffer) => void) => Promise<number>,
): Promise<{ readonly code: number; readonly text: string }> {
  let text = '';
  const code = await run((chunk) => {
    if (text.length < 16 * MESSAGE_LENGTH) text += chunk.toString('utf8');
  });
  return { code, text: text.trimEnd().slice(-MESSAGE_LENGTH) };
}

function detailsOf({ progress }: RunBuildOptions) {
  return { ...(progress.step && { step: progress.step.title }), logs: progress.logs };
}

function failure(
  { progress, source, memoryLimit }: RunBuildOptions,
  message: string,
  isOutOfMemory = false,
): BerthError {
  const exitCode = progress.failure?.exitCode;
  return explainBuildFailure({
    message: progress.failure?.message ?? message,
    exitCode,
    step: progress.step,
    logs: progress.logs,
    // Only the kernel sends this signal to commands of a build.
    isOutOfMemory: isOutOfMemory || exitCode === 137,
    memoryLimit,
    isGenerated: source.titles !== undefined,
  });
}
