import type { Clock } from '@berth/kit';
import type { LocalCopies, LocalCopy, Needed } from '../port/builder.ts';

/**
 * How long a copy is unneeded before it goes: the longest drain of a replaced revision (600 s in the gateway) and a
 * minute, because this server may hear of a removal late and its last requests may still read the files.
 */
const UNNEEDED_MS = 660_000;

/** Creates the removal of copies that no revision needs any more. Call it regularly, with copies that were listed before `needed` was read. */
export function createCopySweep({ copies, clock }: { readonly copies: LocalCopies; readonly clock: Clock }) {
  /** When each copy was first found unneeded, by id. */
  let unneededSinceMs = new Map<string, number>();
  return async (listed: readonly LocalCopy[], { artifacts, deploying }: Needed): Promise<void> => {
    const kept = new Set(artifacts.map((artifact) => copies.idOf(artifact)));
    const isBusy = ({ owner }: LocalCopy) =>
      deploying.some((one) => one.account === owner.account && one.deployment === owner.deployment);
    const nowMs = clock.monotonicMs();
    const unneeded = listed.filter((copy) => !kept.has(copy.id) && !isBusy(copy));
    unneededSinceMs = new Map(unneeded.map(({ id }) => [id, unneededSinceMs.get(id) ?? nowMs]));
    for (const copy of unneeded) {
      if (nowMs - (unneededSinceMs.get(copy.id) ?? nowMs) < UNNEEDED_MS) continue;
      await copies.remove(copy);
      unneededSinceMs.delete(copy.id);
    }
  };
}
