import type { Owner } from '@berth/runtime';
import { ignoreStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import type { ImageNames } from './image-names.ts';

/**
 * Returns what keeps the intermediate stages of builds. An engine has them only as images without a name, which look like garbage, so the
 * stages of each deployment's last build get names. Those of earlier builds are removed.
 */
export function createStageCache(engine: Engine, names: ImageNames) {
  const list = async (isWanted: (owner: Owner) => boolean) => {
    const images = await engine.call((docker) => docker.listImages());
    return images.flatMap(({ Id, RepoTags }) =>
      (RepoTags ?? []).flatMap((name) => {
        const parsed = names.parse(name);
        return parsed?.kind === 'cache' && isWanted(parsed.owner) ? [{ id: Id, name }] : [];
      }),
    );
  };
  // The image is gone, or another image or a container uses it.
  const ignoreGone = ignoreStatus(404, 409);
  const remove = (name: string) => engine.call((docker) => docker.getImage(name).remove()).catch(ignoreGone);

  return {
    /**
     * Replaces the kept stages of a deployment.
     * @param ids Image ids of the last build's stages, as printed by the engine.
     */
    async keep(owner: Owner, ids: readonly string[]): Promise<void> {
      const { account, deployment } = owner;
      const before = await list((one) => one.account === account && one.deployment === deployment);
      // After most builds all stages came from the cache.
      const isSame = ids.length === before.length && ids.every((id) => before.some((one) => one.id.includes(id)));
      if (isSame) return;
      const kept: string[] = [];
      for (const id of new Set(ids)) {
        const image = await engine.call((docker) => docker.getImage(id).inspect()).catch(ignoreGone);
        // A tenant may have forged the ids in its output, so only images that a build made and that have no other name are kept.
        if (!image?.Parent || image.RepoTags?.some((name) => names.parse(name)?.kind !== 'cache')) continue;
        const place = { repo: names.cacheOf(owner), tag: String(kept.length) };
        await engine.call((docker) => docker.getImage(image.Id).tag(place));
        kept.push(image.Id);
      }
      for (const { name, id } of before) {
        if (Number(name.split(':').at(-1)) >= kept.length) await remove(name);
        if (!kept.includes(id)) await removeNameless(id);
      }
    },
    /** Removes the stages of the deployments for which `isDropped` returns true. Returns the number of removed names. */
    async drop(isDropped: (owner: Owner) => boolean): Promise<number> {
      const found = await list(isDropped);
      for (const { name } of found) await remove(name);
      return found.length;
    },
  };

  async function removeNameless(id: string): Promise<void> {
    const image = await engine.call((docker) => docker.getImage(id).inspect()).catch(ignoreGone);
    if (image && (image.RepoTags ?? []).length === 0) await remove(id);
  }
}
