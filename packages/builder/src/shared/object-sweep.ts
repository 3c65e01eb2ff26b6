import type { Clock } from '@berth/kit';
import type { ObjectStore, StoredObject, VolumePlace } from '@berth/object-store';
import type { Needed } from '../port/builder.ts';

/** Received archives, as `<id>.tar.gz`. No account has the id `builds`. */
export const ARCHIVES: VolumePlace = { account: 'builds', storageId: 'archives' };
/** Packed artifacts, as `<account>/<deployment>/<revision>-<id>.tar.zst`. */
export const ARTIFACTS: VolumePlace = { account: 'builds', storageId: 'artifacts' };

/** Minimum age of an object that no record names: it is stored before the record is written, and no deploy lasts that long. */
const LIFE_MS = 24 * 3_600_000;
const PAGE_OBJECTS = 1_000;

/** Old objects, by kind. */
export interface FoundObjects {
  readonly archives: readonly StoredObject[];
  readonly artifacts: readonly StoredObject[];
}

/** Creates the search for objects that no record names. */
export function createObjectSweep({ objects, clock }: { readonly objects: ObjectStore; readonly clock: Clock }) {
  const findOld = async (place: VolumePlace) => {
    const found: StoredObject[] = [];
    const beforeMs = clock.nowMs() - LIFE_MS;
    for (let after: string | undefined; ; ) {
      const page = await objects.list(place, { after, limit: PAGE_OBJECTS });
      found.push(...page.objects.filter(({ updatedAtMs }) => updatedAtMs < beforeMs));
      after = page.objects.at(-1)?.path;
      if (!page.isTruncated || after === undefined) return found;
    }
  };
  const removeUnneeded = async (
    place: VolumePlace,
    found: readonly StoredObject[],
    keep: ReadonlySet<string>,
    isDryRun: boolean,
  ) => {
    const unneeded = found.filter(({ path }) => !keep.has(path));
    if (!isDryRun) for (const { path } of unneeded) await objects.delete(place, path);
    return { count: unneeded.length, sizeBytes: unneeded.reduce((sum, one) => sum + one.sizeBytes, 0) };
  };
  return {
    /** Returns the objects that are older than a day. Call it before reading what is needed. */
    find: async (): Promise<FoundObjects> => ({
      archives: await findOld(ARCHIVES),
      artifacts: await findOld(ARTIFACTS),
    }),
    /** Removes those that nothing needs, and returns how many there are. */
    async remove(found: FoundObjects, needed: Needed, isDryRun: boolean) {
      const names = (all: readonly (string | undefined)[]) => new Set(all.filter((name) => name !== undefined));
      const archives = names(needed.archives.map(({ object }) => object));
      const artifacts = names(needed.artifacts.map(({ stored }) => stored?.object));
      return {
        archives: await removeUnneeded(ARCHIVES, found.archives, archives, isDryRun),
        artifacts: await removeUnneeded(ARTIFACTS, found.artifacts, artifacts, isDryRun),
      };
    },
  };
}
