import type { LogDatabase } from '@berth/database';
import type { LogPlace, ParquetSegment } from '@berth/logstore';
import type { Kysely } from 'kysely';
import { toRow } from './create-segment-catalogue.ts';

/**
 * Adds the segments of a log that was on one server to the logs that several servers share. Their objects must be in the store already.
 * Lines that follow them are appended afterwards. Idempotent.
 */
export async function adoptSegments(
  db: Kysely<LogDatabase>,
  place: LogPlace,
  segments: readonly ParquetSegment[],
): Promise<void> {
  const last = segments
    .map(({ endsAt }) => endsAt)
    .sort()
    .at(-1);
  if (last === undefined) return;
  await db.transaction().execute(async (transaction) => {
    for (const segment of segments) {
      await transaction
        .insertInto('log_segments')
        .values(toRow(place, segment))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    await transaction
      .insertInto('log_heads')
      .values({ ...place, last_at: last, sealed_until: last })
      // A log with a head has these segments already, and may have later lines.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}
