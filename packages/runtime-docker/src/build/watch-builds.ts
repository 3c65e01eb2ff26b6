import type { Readable } from 'node:stream';
import { describeError, type Logger, runInBackground } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import { type EngineEvent, readJsonLines } from '../engine/read-json-lines.ts';

/** Options of {@link watchBuilds}. */
export interface BuildWatcherOptions {
  readonly engine: Engine;
  readonly logger: Logger;
  /** Name of the account's build network. */
  readonly network: string;
  /** Maximum processes of a step. */
  readonly processes: number;
}

/** Watches the containers of builds and sets the limits that a build request can't express. */
export interface BuildWatcher extends AsyncDisposable {
  /** Returns the full id of a container in the build network by its short id; undefined for any other container. */
  find(shortId: string | undefined): string | undefined;
  /** Returns whether the container ran out of memory. */
  isOutOfMemory(id: string): boolean;
}

/**
 * Subscribes to the engine's events. A build request can limit memory and CPU, but not processes, so each container that joins the build
 * network gets a process limit as soon as the engine reports it.
 */
export async function watchBuilds(options: BuildWatcherOptions): Promise<BuildWatcher> {
  const { engine, network, processes, logger } = options;
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
    find: (shortId) => (shortId ? [...containers].find((id) => id.startsWith(shortId)) : undefined),
    isOutOfMemory: (id) => outOfMemory.has(id),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      events.destroy();
    },
  };
}
