import type { Database, LogSegmentsTable } from '@berth/database';
import type { LogPlace, ParquetSegment, SegmentCatalogue } from '@berth/logstore';
import type { Kysely } from 'kysely';

/** The {@link SegmentCatalogue} in the platform's database. */
export function createSegmentCatalogue(db: Kysely<Database>): SegmentCatalogue {
  return {
    async list({ account, deployment }) {
      const rows = await db
        .selectFrom('log_segments')
        .selectAll()
        .where('account', '=', account)
        .where('deployment', '=', deployment)
        .orderBy('starts_at')
        .execute();
      return rows.map(toSegment);
    },
    async deployments(account) {
      const rows = await db
        .selectFrom('log_segments')
        .select('deployment')
        .distinct()
        .where('account', '=', account)
        .orderBy('deployment')
        .execute();
      return rows.map((row) => row.deployment);
    },
    async change(place, { add, remove }) {
      const { account, deployment } = place;
      await db.transaction().execute(async (transaction) => {
        // One row at a time, because SQLite bounds the values of a statement.
        for (const key of remove) {
          await transaction
            .deleteFrom('log_segments')
            .where('account', '=', account)
            .where('deployment', '=', deployment)
            .where('object_key', '=', key)
            .execute();
        }
        for (const segment of add) {
          await transaction.insertInto('log_segments').values(toRow(place, segment)).execute();
        }
      });
    },
    async oldest() {
      const rows = await db
        .selectFrom('log_segments')
        .select((eb) => ['account', 'deployment', eb.fn.min('ends_at').as('ends_at')])
        .groupBy(['account', 'deployment'])
        .execute();
      return rows.map(({ account, deployment, ends_at: endsAt }) => ({ place: { account, deployment }, endsAt }));
    },
  };
}

/** Returns the row of a segment. */
export function toRow({ account, deployment }: LogPlace, segment: ParquetSegment): LogSegmentsTable {
  const { key, store, startsAt, endsAt, rows, sizeBytes, severities } = segment;
  return {
    account,
    deployment,
    store,
    severities,
    object_key: key,
    starts_at: startsAt,
    ends_at: endsAt,
    row_count: rows,
    size_bytes: sizeBytes,
  };
}

/** Returns the segment of a row. */
export function toSegment(row: LogSegmentsTable): ParquetSegment {
  return {
    kind: 'parquet',
    key: row.object_key,
    store: row.store,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    rows: Number(row.row_count),
    sizeBytes: Number(row.size_bytes),
    severities: row.severities,
  };
}
