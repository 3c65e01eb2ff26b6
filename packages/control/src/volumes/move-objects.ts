import { createError } from '@berth/contract';
import { BerthError, type Clock } from '@berth/kit';
import type { ObjectStore, PutResult, StoredObject, VolumePlace } from '@berth/object-store';

export interface MoveObjectsOptions {
  readonly store: Pick<ObjectStore, 'list' | 'move' | 'moveFolder'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly place: VolumePlace;
  /** Folders, with their `/`; `to` is not inside of `from`. */
  readonly from: string;
  readonly to: string;
  /** Whether existing objects are replaced. */
  readonly isOverwriting: boolean;
  onMoved(result: PutResult): void;
}

/** How long one request moves objects; the next request continues. */
const SPAN_MS = 20_000;
const PARALLEL = 8;
const PAGE = 1_000;
/** Paths that an error names at most. */
const NAMED_CONFLICTS = 5;

/**
 * Moves a folder: in one step if the store can and `to` does not exist, else object by object.
 * Returns false when the time ran out; the same call continues.
 * @throws `not_found`; `conflict` naming the paths that exist in both folders, before anything moves
 */
export async function moveObjects(options: MoveObjectsOptions): Promise<boolean> {
  const { store, clock, place, from, to, isOverwriting, onMoved } = options;
  const first = await store.list(place, { prefix: from, limit: PAGE });
  if (first.objects.length === 0) throw createError('not_found', `The volume has no folder "${from}".`);
  if (await store.moveFolder?.(place, from, to)) return true;
  if (!isOverwriting) await requireNoConflict(options);
  const endMs = clock.monotonicMs() + SPAN_MS;
  for (
    let page = first;
    ;
    page = await store.list(place, { prefix: from, after: page.objects.at(-1)?.path, limit: PAGE })
  ) {
    const waiting = [...page.objects].reverse();
    const work = async () => {
      for (let object = waiting.pop(); object; object = waiting.pop()) {
        if (clock.monotonicMs() > endMs) return void waiting.push(object);
        await moveOne(object.path);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    if (waiting.length > 0) return false;
    if (!page.isTruncated) return true;
  }

  async function moveOne(path: string): Promise<void> {
    const target = to + path.slice(from.length);
    try {
      onMoved(await store.move(place, path, target, { isAbsent: !isOverwriting }));
    } catch (error) {
      if (BerthError.is(error, 'precondition_failed')) throw isTaken([target]);
      // Another request moved or deleted it meanwhile.
      if (!BerthError.is(error, 'not_found')) throw error;
    }
  }
}

/** The `conflict` that names the objects in the way. */
export function isTaken(paths: readonly string[]): BerthError {
  const names = paths.map((path) => `"${path}"`).join(', ');
  return createError('conflict', `${names} already exists. Choose another path, or replace it (overwrite=true).`, {
    details: { paths },
  });
}

/** Finds paths that exist in both folders, reading both in path order. */
async function requireNoConflict({ store, place, from, to }: MoveObjectsOptions): Promise<void> {
  const targets = readAll(store, place, to);
  const conflicts: string[] = [];
  let target = (await targets.next()).value;
  if (!target) return;
  for await (const object of readAll(store, place, from)) {
    const path = to + object.path.slice(from.length);
    while (target && Buffer.compare(Buffer.from(target.path), Buffer.from(path)) < 0) {
      target = (await targets.next()).value;
    }
    if (!target) break;
    // An interrupted move leaves a copy with the same bytes, which is no conflict.
    if (target.path === path && (target.etag !== object.etag || target.sizeBytes !== object.sizeBytes)) {
      conflicts.push(path);
      if (conflicts.length === NAMED_CONFLICTS) break;
    }
  }
  if (conflicts.length > 0) throw isTaken(conflicts);
}

async function* readAll(
  store: Pick<ObjectStore, 'list'>,
  place: VolumePlace,
  prefix: string,
): AsyncGenerator<StoredObject, undefined> {
  for (let after: string | undefined; ; ) {
    const page = await store.list(place, { prefix, after, limit: PAGE });
    yield* page.objects;
    if (!page.isTruncated) return undefined;
    after = page.objects.at(-1)?.path;
  }
}
