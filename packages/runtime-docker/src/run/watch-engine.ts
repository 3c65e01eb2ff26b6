import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { backoffMs, type Clock, type Logger, runInBackground } from '@berth/kit';
import { SERVER_LABEL } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';

/** Options of {@link watchEngine}. */
export interface WatchEngineOptions {
  readonly engine: Engine;
  readonly serverId: string;
  /** Called when the memory limit killed a process of a container. */
  onOutOfMemory(containerId: string): void;
  /** Called when the engine is available again. */
  onReturned(): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running watch of an engine. */
export interface EngineWatch {
  close(): void;
}

const RETRY = { baseMs: 100, maxMs: 5_000 };

/** Follows the events of an engine, through its restarts. */
export function watchEngine({
  engine,
  serverId,
  onOutOfMemory,
  onReturned,
  clock,
  logger,
}: WatchEngineOptions): EngineWatch {
  const closing = new AbortController();
  const filters = { type: ['container'], event: ['oom'], label: [`${SERVER_LABEL}=${serverId}`] };
  let failures = 0;

  const follow = async (): Promise<void> => {
    const stream = (await engine.call((docker) => docker.getEvents({ filters: JSON.stringify(filters) }))) as Readable;
    const close = (): void => void stream.destroy();
    closing.signal.addEventListener('abort', close, { once: true });
    if (closing.signal.aborted) close();
    try {
      if (failures > 0) onReturned();
      failures = 0;
      for await (const line of createInterface({ input: stream })) {
        const { Actor } = JSON.parse(line) as { readonly Actor?: { readonly ID?: string } };
        if (Actor?.ID !== undefined) onOutOfMemory(Actor.ID);
      }
    } finally {
      closing.signal.removeEventListener('abort', close);
    }
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await follow().catch((error: unknown) => logger.debug({ error: String(error) }, 'no events of the engine'));
      if (closing.signal.aborted) return;
      if (failures === 0) logger.warn({ engine: engine.address }, 'the engine went away');
      await clock.sleep(backoffMs(failures++, RETRY), closing.signal).catch(() => {});
    }
  };
  runInBackground('follow the engine', run(), logger);
  return { close: () => closing.abort() };
}
