import type { Readable } from 'node:stream';
import { describeError, type Logger, runInBackground } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import { readJsonLines } from '../engine/read-json-lines.ts';

export interface BuildWatcherOptions {
  readonly engine: Engine;
  readonly logger: Logger;
  /** Name of the network that builds run in. */
  readonly network: string;
  /** Processes of one step. */
  readonly processes: number;
}

/** Sees the containers of builds come, and bounds what a build's request can't. */
export interface BuildWatcher extends AsyncDisposable {
  /** Full id of a container in the network of builds, by its short one; undefined for every other. */
  find(shortId: string | undefined): string | undefined;
  isOutOfMemory(id: string): boolean;
}

/** The part of an event that is read. Source: Docker Engine API 1.41, SystemEvents. */
interface EngineEvent {
  readonly Type?: string;
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
}

/**
 * Opens the engine's events. A build's request has bounds for memory and CPU, but none for processes: each container that enters the
 * network of builds gets its own before its program is started, as soon as the engine says so.
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
      // The engine went, and with it all builds.
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
