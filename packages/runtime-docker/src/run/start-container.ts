import { createError } from '@berth/contract';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import { type AttachedOutput, attachOutput } from './attach-output.ts';
import { awaitExecution } from './await-execution.ts';
import type { ContainerEnd } from './container-exit.ts';
import { createInstance, type DockerInstance } from './create-instance.ts';
import { withHeldMounts } from './mount-sources.ts';
import type { ImageSpec } from './plan-key.ts';
import type { ContainerParts, PreparedContainer } from './prepare-container.ts';
import { translateStartError } from './translate-start-error.ts';
import { watchContainer } from './watch-container.ts';

/** Options of {@link startContainer}. */
export interface StartOptions {
  readonly spec: ImageSpec;
  readonly prepared: PreparedContainer;
  readonly parts: ContainerParts;
  readonly signal: AbortSignal | undefined;
}

/** Maximum wait for the sink to take the rest of the output. */
const OUTPUT_GIVE_UP_MS = 5_000;
/** Nobody's (RFC 5737): of a container that ended before its address was known. */
const NO_ADDRESS = '192.0.2.1';
/** What tini and catatonit say when they can't execute the program; then they exit with 127 or 126, or 1. */
const NOT_EXECUTED_TEXT = /^(\[FATAL\s+tini .*exec|ERROR \(catatonit:\d+\): failed to exec)/m;

/**
 * Starts a prepared container.
 * @throws BerthError `start_failed`, `out_of_capacity` or `unavailable`, or the signal's reason, after removing everything.
 */
export async function startContainer(options: StartOptions): Promise<DockerInstance> {
  const { prepared, signal, parts } = options;
  try {
    signal?.throwIfAborted();
    const instance = await launch(options);
    // Only now: the engine can't be told to give up a start.
    if (signal?.aborted) await instance.stop({ graceMs: 0 });
    signal?.throwIfAborted();
    return instance;
  } catch (error) {
    await prepared.discard().catch((left: unknown) => {
      parts.logger.warn({ container: prepared.container.id, error: String(left) }, 'a container was left behind');
    });
    throw translateStartError(error);
  }
}

async function launch({ spec, prepared, parts }: StartOptions): Promise<DockerInstance> {
  const { engine, clock, logger, policy, pins } = parts;
  const { container, sources, network, image } = prepared;
  const output = await engine.call(() => attachOutput(container, spec.output, { clock, logger }));
  const begin = async () => {
    await engine.call(() => container.start());
    return engine.call(() => container.inspect());
  };
  const { State, NetworkSettings } = await withHeldMounts(sources, pins, begin).catch(async (error: unknown) => {
    await output.finish(0);
    throw error;
  });
  const pid = State.Pid;
  let end: ContainerEnd | undefined;
  const ended = watchContainer({ engine, container, pid, clock, logger }).then(async (how) => {
    end = how;
    await output.finish(OUTPUT_GIVE_UP_MS);
    return how;
  });
  if (policy.hasInit && pid > 0) await awaitExecution(pid, () => end !== undefined, clock);
  if (end !== undefined || pid === 0) checkExecuted(await ended, output);
  const host = NetworkSettings.Networks[network]?.IPAddress || NO_ADDRESS;
  const instance = createInstance({ spec, prepared, parts, pid, ended, host });
  if (image.user.isReplaced) {
    const { uid } = image.user;
    instance.note(
      `this image has no USER and may not be root: it runs as user ${uid}. Give its Dockerfile a USER line.`,
    );
  }
  return instance;
}

function checkExecuted({ exitCode }: ContainerEnd, output: AttachedOutput): void {
  const said = output.errorText();
  if (exitCode === 0 || !NOT_EXECUTED_TEXT.test(said)) return;
  throw createError('start_failed', `The program could not be executed: ${said}.`);
}

/** Renames an instance's container so that people can find it. Nothing depends on the name. */
export async function nameContainer(engine: Engine, spec: ImageSpec, instance: DockerInstance): Promise<void> {
  const container = engine.docker.getContainer(instance.containerId);
  try {
    await engine.call(() => container.rename({ name: `berth-${spec.owner.deployment}-${instance.instanceId}` }));
  } catch (error) {
    // It has ended already, or the name is taken.
    if (engineStatus(error) !== 404 && engineStatus(error) !== 409) throw error;
  }
}
