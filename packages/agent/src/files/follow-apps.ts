import type { WorkspacePath } from '@berth/agent-core';
import type { AppDataStore, OwnerKey } from '@berth/agent-store';

/** Rows of an app in the trash have a slug that no app can have. */
const trashSlug = (trashId: string) => `trash:${trashId}`;

/** Data that belongs to a folder `apps/<slug>` goes and comes with it. Source: docs/contract/agent-api.md §9, "Rows follow the app". */
export type AppFollower = ReturnType<typeof followApps>;

export function followApps(rows: Pick<AppDataStore, 'moveApp' | 'removeApp'>) {
  return {
    moved: (owner: OwnerKey, from: string, to: string): Promise<void> => rows.moveApp(owner, from, to),
    trashed: (owner: OwnerKey, slug: string, trashId: string): Promise<void> =>
      rows.moveApp(owner, slug, trashSlug(trashId)),
    /** It came back, maybe under another slug. */
    restored: (owner: OwnerKey, trashId: string, slug: string): Promise<void> =>
      rows.moveApp(owner, trashSlug(trashId), slug),
    purged: (owner: OwnerKey, trashId: string): Promise<void> => rows.removeApp(owner, trashSlug(trashId)),
  };
}

/** Returns the slug of an app's folder; undefined for any other path. */
export function appSlug(path: WorkspacePath): string | undefined {
  return /^apps\/([^/]+)$/.exec(path)?.[1];
}
