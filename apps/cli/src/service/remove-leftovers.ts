import { createHash } from 'node:crypto';
import { chmod, chown, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { tryProgram } from './system.ts';

/**
 * Removes the containers and networks of a server from the Docker engine and, with `withImages`, its images. Does nothing without an engine.
 * @returns the number of removed objects
 */
export async function removeFromEngine(dataFolder: string, withImages: boolean): Promise<number> {
  const serverId = await readFile(path.join(dataFolder, 'server-id'), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (!/^[\w-]+$/.test(serverId)) return 0;
  const label = `label=berth.server=${serverId}`;
  const remove = async (list: readonly string[], removal: readonly string[]) => {
    const ids = ((await tryProgram('docker', list)) ?? '').split('\n').filter((id) => id !== '');
    if (ids.length > 0) await tryProgram('docker', [...removal, ...ids]);
    return ids.length;
  };
  let count = await remove(['ps', '--all', '--quiet', '--filter', label], ['rm', '--force', '--volumes']);
  count += await remove(['network', 'ls', '--quiet', '--filter', label], ['network', 'rm']);
  if (!withImages) return count;
  // The names of images: `packages/runtime-docker/src/build/image-names.ts`.
  const root = `berth-${createHash('sha256').update(serverId).digest('hex').slice(0, 8)}`;
  const reference = `reference=${root}/*`;
  const format = '{{.Repository}}:{{.Tag}}';
  return count + (await remove(['image', 'ls', '--filter', reference, '--format', format], ['image', 'rm', '--force']));
}

/** Deletes the data folder, and the folder of the services' files that a server without bubblewrap has elsewhere. */
export async function deleteData(dataFolder: string): Promise<void> {
  const place = await readFile(path.join(dataFolder, 'place.json'), 'utf8').catch(() => '{}');
  const { work_root: workRoot } = JSON.parse(place) as { readonly work_root?: unknown };
  if (typeof workRoot === 'string' && /^berth-[0-9a-f]{12}$/.test(path.basename(workRoot))) {
    await rm(workRoot, { recursive: true, force: true });
  }
  await rm(dataFolder, { recursive: true, force: true });
}

/** Lets only root enter a data folder. */
export async function closeFolder(dataFolder: string): Promise<void> {
  await chown(dataFolder, 0, 0);
  await chmod(dataFolder, 0o700);
}
