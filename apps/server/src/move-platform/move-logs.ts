import { randomUUID } from 'node:crypto';
import { adoptSegments, createBlockTable } from '@berth/control';
import { type LogSegmentsTable, openLogDatabase } from '@berth/database';
import { type LogPlace, listFolderLogs, type ParquetSegment, readLineBlocks } from '@berth/logstore';
import type { StoredObject } from '@berth/object-store';
import { type Mirrored, mirrorObjects, nothingMirrored } from './mirror-objects.ts';
import type { MovePass } from './move-pass.ts';

/** The result of a pass over the logs. */
export interface MovedLogs {
  /** Parquet segments. */
  readonly segments: Mirrored;
  /** Segments in a bucket that the target doesn't use: they stay there, and the target doesn't show them. */
  readonly leftSegments: number;
  /** Logs with lines that are not in a segment yet, and the bytes of their files. */
  readonly openLogs: number;
  readonly openBytes: number;
}

/** Copies the objects of the logs' segments, which never change. */
export async function moveSegments(pass: MovePass): Promise<MovedLogs> {
  const { source, target, journal, isDryRun, signal } = pass;
  const total = nothingMirrored();
  let leftSegments = 0;
  for (const [place, rows] of await listSegments(pass)) {
    const local = rows.filter(({ store }) => store === 'fs');
    for (const row of rows.filter(({ store }) => store !== 'fs')) {
      const { account, deployment: storageId } = place;
      const isThere =
        row.store === target.segments.name &&
        (await target.segments.find({ account, storageId }, row.object_key)) !== undefined;
      if (!isThere) leftSegments++;
    }
    if (local.length === 0) continue;
    const mirrored = await mirrorObjects({
      ...{ source: source.logs, target: target.segments, journal, isDryRun, signal },
      place: { account: place.account, storageId: place.deployment },
      objects: findObjects(pass, place, local),
      removesOthers: false,
      isLive: pass.isLive,
      onCopied: (sizeBytes) => pass.onProgress({ kind: 'log', name: place.deployment, sizeBytes }),
    });
    for (const key of Object.keys(total) as (keyof Mirrored)[]) total[key] += mirrored[key];
  }
  const logs = await listFolderLogs(source.logFolder);
  const openBytes = logs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { segments: total, leftSegments, openLogs: logs.length, openBytes };
}

/**
 * Adds the copied segments and all lines to the logs of several servers. The logs of the source must be closed. Goes on after the newest
 * line that the target has.
 */
export async function moveLines(pass: MovePass): Promise<void> {
  const { source, target, logger, signal } = pass;
  const { db, close } = await openLogDatabase({ url: target.logDatabaseUrl, logger });
  try {
    const table = createBlockTable(db);
    const writer = `move-${randomUUID()}`;
    for (const [place, rows] of await listSegments(pass)) {
      const segments: ParquetSegment[] = [];
      for (const row of rows) {
        const volume = { account: place.account, storageId: place.deployment };
        if (await target.segments.find(volume, row.object_key)) segments.push(toSegment(row, target.segments.name));
      }
      await adoptSegments(db, place, segments);
    }
    for (const { place } of await listFolderLogs(source.logFolder)) {
      let sequence = 0;
      for await (const block of readLineBlocks(source.logFolder, place, await table.newest(place))) {
        signal.throwIfAborted();
        await table.append(place, { writer, sequence: ++sequence }, async () => block);
        pass.onProgress({ kind: 'log', name: place.deployment, sizeBytes: block.sizeBytes });
      }
    }
  } finally {
    await close();
  }
}

async function listSegments({ source }: MovePass): Promise<ReadonlyMap<LogPlace, readonly LogSegmentsTable[]>> {
  const rows = await source.db.selectFrom('log_segments').selectAll().orderBy('object_key').execute();
  const groups = Map.groupBy(rows, ({ account, deployment }) => `${account}/${deployment}`);
  return new Map(
    [...groups.values()].map((group) => {
      const { account = '', deployment = '' } = group[0] ?? {};
      return [{ account, deployment }, group];
    }),
  );
}

/** Yields the objects of segments. One that is missing was damaged before. */
async function* findObjects(
  { source }: MovePass,
  place: LogPlace,
  rows: readonly LogSegmentsTable[],
): AsyncGenerator<StoredObject> {
  for (const { object_key: key } of rows) {
    const object = await source.logs.find({ account: place.account, storageId: place.deployment }, key);
    if (object) yield object;
  }
}

function toSegment(row: LogSegmentsTable, store: string): ParquetSegment {
  return {
    ...{ kind: 'parquet', key: row.object_key, store, startsAt: row.starts_at, endsAt: row.ends_at },
    ...{ rows: Number(row.row_count), sizeBytes: Number(row.size_bytes), severities: row.severities },
  };
}
