import { readFileSync } from 'node:fs';
import type { EngineContext, EngineFacts } from '../engine/open-engine.ts';
import type { DockerInstance } from './create-instance.ts';

/** From the end of one look at all containers to the next: the engine counts every file of theirs for it. */
const ROUND_MS = 10_000;
/** The client's types lack it. Source: Docker Engine API 1.41, ContainerInspect. */
const WITH_SIZE: object = { size: true };

/** Returns the bytes that a container has written beside its image. The engine walks the container's files for it. */
export async function readWrittenBytes(
  { engine }: Pick<EngineContext, 'engine'>,
  containerId: string,
): Promise<number> {
  const container = engine.docker.getContainer(containerId);
  const { SizeRw = 0 } = (await engine.call(() => container.inspect(WITH_SIZE))) as { SizeRw?: number };
  return SizeRw;
}

/**
 * Ends instances that write more than `limitBytes` beside their image, where the engine's storage driver doesn't hold them. Looks at one
 * after another. The returned function ends the watch.
 */
export function watchDisk(
  instances: ReadonlySet<DockerInstance>,
  limitBytes: number,
  context: EngineContext,
): () => void {
  const { clock, logger } = context;
  const closing = new AbortController();
  const check = async (instance: DockerInstance): Promise<void> => {
    if ((await readWrittenBytes(context, instance.containerId)) <= limitBytes) return;
    const limit = Math.round(limitBytes / 2 ** 20);
    instance.note(
      `this instance wrote more than ${limit} MiB to its own disk and was stopped; store data in a volume.`,
    );
    await instance.kill();
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      for (const instance of [...instances]) {
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

/** Storage drivers that always enforce a size. Source: docs.docker.com, `docker run --storage-opt`. */
const ABLE = new Set(['btrfs', 'zfs']);

/** Returns whether an engine's storage driver can limit the size of a container. */
export function holdsDiskQuota({ storageDriver, rootFolder }: EngineFacts): boolean {
  if (ABLE.has(storageDriver)) return true;
  return storageDriver === 'overlay2' && hasProjectQuota(rootFolder, readFileSync('/proc/self/mounts', 'utf8'));
}

/**
 * Returns whether a folder is on XFS with project quotas, which the mount option pquota turns on.
 * @param mounts Text of /proc/mounts: device, mount point, type, options. Source: proc_pid_mounts(5).
 */
export function hasProjectQuota(folder: string, mounts: string): boolean {
  const holding = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, point = '']) => point === '/' || folder === point || folder.startsWith(`${point}/`))
    .toSorted(([, one = ''], [, other = '']) => other.length - one.length)[0];
  const [, , type, options = ''] = holding ?? [];
  return type === 'xfs' && options.split(',').some((option) => option === 'pquota' || option === 'prjquota');
}
