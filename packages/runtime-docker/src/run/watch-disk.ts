import type { Clock, Logger } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import type { DockerInstance } from './create-instance.ts';

/** Options of {@link watchDisk}. */
export interface WatchDiskOptions {
  readonly engine: Engine;
  /** Returns the running instances. */
  readonly instances: () => Iterable<DockerInstance>;
  /** Bytes that a container may write beside its image. */
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** From the end of one look at all containers to the next: the engine counts every file of theirs for it. */
const ROUND_MS = 10_000;
/** The client's types lack it. Source: Docker Engine API 1.41, ContainerInspect. */
const WITH_SIZE: object = { size: true };

/**
 * Ends instances that outgrow their disk, where the engine's storage driver doesn't hold them. Looks at one after another.
 * The returned function ends the watch.
 */
export function watchDisk({ engine, instances, limitBytes, clock, logger }: WatchDiskOptions): () => void {
  const closing = new AbortController();
  const check = async (instance: DockerInstance): Promise<void> => {
    const container = engine.docker.getContainer(instance.containerId);
    const { SizeRw = 0 } = (await engine.call(() => container.inspect(WITH_SIZE))) as { SizeRw?: number };
    if (SizeRw <= limitBytes) return;
    const limit = Math.round(limitBytes / 2 ** 20);
    instance.note(`this instance wrote more than ${limit} MiB to its own disk and was ended; keep data on a volume.`);
    await instance.kill();
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      for (const instance of instances()) {
        if (closing.signal.aborted) return;
        await check(instance).catch((error: unknown) =>
          logger.debug({ error: String(error) }, 'a disk was not measured'),
        );
      }
      await clock.sleep(ROUND_MS, closing.signal).catch(() => {});
    }
  };
  void run();
  return () => closing.abort();
}
