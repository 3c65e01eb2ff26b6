import type { Readable } from 'node:stream';
import { describeError, runInBackground } from '@berth/kit';
import type { EngineContext } from '../engine/open-engine.ts';
import { type EngineEvent, readJsonLines } from '../engine/read-json-lines.ts';

/** Watches the containers of builds and sets the limits that a build request can't express. */
export type BuildWatcher = Awaited<ReturnType<typeof watchBuilds>>;

/**
 * Subscribes to the engine's events. A build request can limit memory and CPU, but not processes, so each container that joins the build
 * network gets a process limit as soon as the engine reports it.
 * @param network Name of the account's build network.
 * @param processes Maximum processes of a step.
 */
export async function watchBuilds(
  { engine, logger }: Pick<EngineContext, 'engine' | 'logger'>,
  network: string,
  processes: number,
) {
  const containers = new Set<string>();
  const outOfMemory = new Set<string>();
  let isClosed = false;

  const bound = async (id: string) => {
    try {
      await engine.docker.getContainer(id).update({ PidsLimit: processes });
    } catch (error) {
      logger.debug({ container: id, error: describeError(error) }, 'a step had ended before it was bounded');
    }
  };
  const read = async ({ Action, Actor }: EngineEvent) => {
    if (Action === 'oom' && Actor?.ID !== undefined) outOfMemory.add(Actor.ID);
    const id = Actor?.Attributes?.['container'];
    if (Action !== 'connect' || Actor?.Attributes?.['name'] !== network || id === undefined) return;
    containers.add(id);
    await bound(id);
  };

  const filters = JSON.stringify({ type: ['network', 'container'], event: ['connect', 'oom'] });
  const events = (await engine.call((docker) => docker.getEvents({ filters }))) as Readable;
  const follow = async () => {
    try {
      for await (const event of readJsonLines<EngineEvent>(events)) await read(event);
    } catch (error) {
      // The connection to the engine was lost, which ends all builds.
      if (!isClosed) logger.debug({ error: describeError(error) }, 'the events of builds ended');
    }
  };
  runInBackground('events of builds', follow(), logger);
  return {
    /** Returns the full id of a container in the build network by its short id; undefined for any other container. */
    find: (shortId: string | undefined): string | undefined =>
      shortId ? [...containers].find((id) => id.startsWith(shortId)) : undefined,
    /** Returns whether the container ran out of memory. */
    isOutOfMemory: (id: string): boolean => outOfMemory.has(id),
    async [Symbol.asyncDispose](): Promise<void> {
      isClosed = true;
      events.destroy();
    },
  };
}
