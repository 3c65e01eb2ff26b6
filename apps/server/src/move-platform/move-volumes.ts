import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { copyDetails, type LeftOut } from './copy-details.ts';
import { type Mirrored, mirrorObjects, nothingMirrored } from './mirror-objects.ts';
import type { MovePass } from './move-pass.ts';

/** The result of a pass over a volume. */
export interface MovedVolume extends Mirrored {
  readonly account: string;
  readonly name: string;
  /** It can be restored. */
  readonly isDeleted: boolean;
  /** `copied`: its files are on this machine; `there`: the target has them already; `empty`: it never had any. */
  readonly from: 'copied' | 'there' | 'empty';
  /** Links and empty folders, which a bucket can't hold. */
  readonly leftOut: LeftOut;
}

/** Copies the files of all volumes. @throws BerthError `not_found` when the files of a volume are nowhere */
export async function moveVolumes(pass: MovePass): Promise<readonly MovedVolume[]> {
  const { source, target, journal, isDryRun, isLive, signal } = pass;
  const moved: MovedVolume[] = [];
  for (const volume of await listVolumes(source.db)) {
    const { account_id: account, name } = volume;
    const place = { account, storageId: volume.storage_id };
    const report = { account, name, isDeleted: volume.isDeleted };
    if (!source.hasVolume(place)) {
      const isThere = (await target.volumes.list(place, { limit: 1 })).objects.length > 0;
      if (!isThere && Number(volume.object_count) > 0 && !isDryRun && !volume.isDeleted) throw nowhere(report, pass);
      const from = isThere ? ('there' as const) : ('empty' as const);
      moved.push({ ...report, from, ...nothingMirrored(), leftOut: { links: 0, folders: 0 } });
      continue;
    }
    const mirrored = await mirrorObjects({
      ...{ source: source.volumes, target: target.volumes, place, journal, isLive, isDryRun, signal },
      removesOthers: true,
      onCopied: (sizeBytes) => pass.onProgress({ kind: 'volume', name, sizeBytes }),
    });
    const leftOut = await copyDetails(pass, place);
    moved.push({ ...report, from: 'copied', ...mirrored, leftOut });
  }
  return moved;
}

/** Volumes, and deleted ones that can be restored. */
async function listVolumes(db: Kysely<Database>) {
  const columns = ['account_id', 'name', 'storage_id', 'object_count'] as const;
  const present = await db.selectFrom('volumes').select(columns).orderBy('account_id').orderBy('name').execute();
  const deleted = await db
    .selectFrom('deleted_volumes')
    .select(columns)
    .orderBy('account_id')
    .orderBy('name')
    .execute();
  return [
    ...present.map((volume) => ({ ...volume, isDeleted: false })),
    ...deleted.map((volume) => ({ ...volume, isDeleted: true })),
  ];
}

function nowhere({ account, name }: Pick<MovedVolume, 'account' | 'name'>, { source, target }: MovePass) {
  return createError(
    'not_found',
    `The files of the volume ${name} of ${account} are neither in ${source.volumeFolder} nor in ${target.name}. If they are in another bucket, copy that bucket's objects with their keys first.`,
  );
}
