import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';
import type { Container } from 'dockerode';
import { ignoreStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import { type AttachedOutput, attachOutput } from './attach-output.ts';
import { findContainerFreezer } from './container-freezer.ts';
import { hasExecuted } from './container-processes.ts';
import { createInstance, type DockerInstance } from './create-instance.ts';
import { withHeldMounts } from './mount-sources.ts';
import type { ImageSpec } from './plan-key.ts';
import { type ContainerParts, type PreparedContainer, removeContainer } from './prepare-container.ts';
import { translateStartError } from './translate-start-error.ts';
import { type ContainerEnd, watchContainer } from './watch-container.ts';

/** Reserved address (RFC 5737) for a container that ended before its address was known. */
const NO_ADDRESS = '192.0.2.1';
/** Messages of tini and catatonit when they can't execute the program; then they exit with 127 or 126, or 1. */
const NOT_EXECUTED_TEXT = /^(\[FATAL\s+tini .*exec|ERROR \(catatonit:\d+\): failed to exec)/m;

/**
 * Starts a prepared container.
 * @throws BerthError `start_failed`, `out_of_capacity` or `unavailable`, or the signal's reason, after removing everything.
 */
export async function startContainer(
  spec: ImageSpec,
  prepared: PreparedContainer,
  parts: ContainerParts,
  signal: AbortSignal | undefined,
): Promise<DockerInstance> {
  try {
    signal?.throwIfAborted();
    const instance = await launch(spec, prepared, parts);
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

async function launch(spec: ImageSpec, prepared: PreparedContainer, parts: ContainerParts): Promise<DockerInstance> {
  const { engine, clock, policy, pins } = parts;
  const { container, sources, network, image } = prepared;
  const output = await engine.call(() => attachOutput(container, spec.output, parts));
  const begin = async () => {
    await engine.call(() => container.start());
    return engine.call(() => container.inspect());
  };
  const { State, NetworkSettings } = await withHeldMounts(sources, pins, begin).catch(async (error: unknown) => {
    await output.finish(0);
    throw error;
  });
  const pid = State.Pid;
  let isOver = pid === 0;
  const ended = watchContainer(container, pid, output, parts, () => {
    isOver = true;
  });
  if (policy.hasInit && pid > 0) await awaitExecution(pid, () => isOver, clock);
  if (isOver) checkExecuted(await ended, output);
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

const POLL_MS = 1;
/** Maximum wait where processes of other users can't be read. */
const BLIND_MS = 100;
/** After this time, on a very busy machine, the program counts as executed. If it wasn't, its exit reports that. */
const GIVE_UP_MS = 5_000;

/** Waits until the init process of a container has executed its program, or `isOver` returns true. Polls, as there is no event for this. */
async function awaitExecution(initPid: number, isOver: () => boolean, clock: Clock): Promise<void> {
  const begunMs = clock.monotonicMs();
  while (!isOver()) {
    const seen = hasExecuted(initPid);
    const waitedMs = clock.monotonicMs() - begunMs;
    if (seen === true || waitedMs > (seen === undefined ? BLIND_MS : GIVE_UP_MS)) return;
    await clock.sleep(POLL_MS);
  }
}

function checkExecuted({ exitCode }: ContainerEnd, output: AttachedOutput): void {
  const said = output.errorText();
  if (exitCode === 0 || !NOT_EXECUTED_TEXT.test(said)) return;
  throw createError('start_failed', `The program could not be executed: ${said}.`);
}

/**
 * Adopts a container that an earlier server started. Its output from the time without a server is lost, which a line in its log says.
 * @throws what the engine throws, and BerthError `unavailable` when the container has ended. The container is removed then.
 */
export async function adoptContainer(
  spec: ImageSpec,
  container: Container,
  parts: ContainerParts,
): Promise<DockerInstance> {
  const { engine, networks } = parts;
  const discard = () => removeContainer(engine, container);
  try {
    const network = await networks.ensure(spec.owner.account);
    const { State } = await engine.call(() => container.inspect());
    if (State.Paused) await engine.call(() => container.unpause());
    else findContainerFreezer(State.Pid, container.id, parts.clock)?.thaw();
    const output = await engine.call(() => attachOutput(container, spec.output, parts));
    const { State: now, NetworkSettings } = await engine.call(() => container.inspect());
    const host = NetworkSettings.Networks[network]?.IPAddress;
    if (!now.Running || !host) {
      await output.finish(0);
      throw createError('unavailable', 'The container of an earlier server has ended.');
    }
    const ended = watchContainer(container, now.Pid, output, parts);
    const instance = createInstance({ spec, prepared: { container, discard }, parts, pid: now.Pid, ended, host });
    instance.note('The platform restarted and continues with this instance; output in between is missing.');
    return instance;
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
}

/** Renames an instance's container so that people can find it. Nothing depends on the name. */
export async function nameContainer(engine: Engine, spec: ImageSpec, instance: DockerInstance): Promise<void> {
  const container = engine.docker.getContainer(instance.containerId);
  const name = `berth-${spec.owner.deployment}-${instance.instanceId}`;
  // It has ended already, or the name is taken.
  await engine.call(() => container.rename({ name })).catch(ignoreStatus(404, 409));
}
