import type { Owner } from '@berth/runtime';
import { engineStatus } from '../engine/engine-errors.ts';
import type { Engine } from '../engine/open-engine.ts';
import type { ImageNames } from './image-names.ts';

/**
 * Keeps what builds leave besides their images: an engine has the layers of earlier stages only as nameless images, which
 * nobody could tell from garbage. Each deployment has names for those of its last build; what it had before goes.
 */
export interface StageCache {
  /** @param ids of the stages of the last build, as the engine said them. */
  keep(owner: Owner, ids: readonly string[]): Promise<void>;
  /** Forgets those of some deployments. Answers how many images had a name. */
  drop(isDropped: (owner: Owner) => boolean): Promise<number>;
}

export function createStageCache(engine: Engine, names: ImageNames): StageCache {
  const list = async (isWanted: (owner: Owner) => boolean) => {
    const images = await engine.call((docker) => docker.listImages());
    return images.flatMap(({ Id, RepoTags }) =>
      (RepoTags ?? []).flatMap((name) => {
        const parsed = names.parse(name);
        return parsed?.kind === 'cache' && isWanted(parsed.owner) ? [{ id: Id, name }] : [];
      }),
    );
  };
  const ignoreGone = (error: unknown) => {
    // Gone, or in use by another image or a container: then it is not a left-over.
    if (![404, 409].includes(engineStatus(error) ?? 0)) throw error;
  };
  const remove = (name: string) => engine.call((docker) => docker.getImage(name).remove()).catch(ignoreGone);

  return {
    async keep(owner, ids) {
      const { account, deployment } = owner;
      const before = await list((one) => one.account === account && one.deployment === deployment);
      // As after most builds: all stages were in the cache.
      const isSame = ids.length === before.length && ids.every((id) => before.some((one) => one.id.includes(id)));
      if (isSame) return;
      const kept: string[] = [];
      for (const id of new Set(ids)) {
        const image = await engine.call((docker) => docker.getImage(id).inspect()).catch(ignoreGone);
        // Only what a build made and nothing names: ids come from output that a tenant may have written.
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
    async drop(isDropped) {
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
