import type { Readable } from 'node:stream';
import { backoffMs, runInBackground } from '@berth/kit';
import { ofServer } from '../engine/labels.ts';
import type { EngineContext } from '../engine/open-engine.ts';
import { type EngineEvent, readJsonLines } from '../engine/read-json-lines.ts';

/** Callbacks of {@link watchEngine}. */
export interface EngineHooks {
  /** Called when the memory limit killed a process of a container. */
  onOutOfMemory(containerId: string): void;
  /** Called when the engine is available again. */
  onReturned(): void;
}

const RETRY = { baseMs: 100, maxMs: 5_000 };

/** Follows the events of an engine, through its restarts. The returned function ends that. */
export function watchEngine(
  { engine, serverId, clock, logger }: EngineContext,
  { onOutOfMemory, onReturned }: EngineHooks,
): () => void {
  const closing = new AbortController();
  const filters = JSON.stringify({ type: ['container'], event: ['oom'], ...ofServer(serverId) });
  let failures = 0;

  const follow = async (): Promise<void> => {
    const stream = (await engine.call((docker) => docker.getEvents({ filters }))) as Readable;
    const close = (): void => void stream.destroy();
    closing.signal.addEventListener('abort', close, { once: true });
    if (closing.signal.aborted) close();
    try {
      if (failures > 0) onReturned();
      failures = 0;
      for await (const { Actor } of readJsonLines<EngineEvent>(stream)) {
        if (Actor?.ID !== undefined) onOutOfMemory(Actor.ID);
      }
    } finally {
      closing.signal.removeEventListener('abort', close);
    }
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await follow().catch((error: unknown) => logger.debug({ error: String(error) }, 'no events from the engine'));
      if (closing.signal.aborted) return;
      if (failures === 0) logger.warn({ engine: engine.address }, 'the engine stopped');
      await clock.sleep(backoffMs(failures++, RETRY), closing.signal).catch(() => {});
    }
  };
  runInBackground('follow the engine', run(), logger);
  return () => closing.abort();
}
