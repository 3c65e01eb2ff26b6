import type { LogDatabase, LogSegmentsTable } from '@berth/database';
import type { BlockTable, LogHead, LogLease, LogPlace, OldestSegment } from '@berth/logstore';
import { type Kysely, sql, type Transaction } from 'kysely';
import { toRow, toSegment } from './create-segment-catalogue.ts';
import { reclaimBlocks } from './reclaim-blocks.ts';

/**
 * The {@link BlockTable} in Postgres, in transactions that see what others have committed.
 *
 * Invariants:
 * 1. An append holds the lock of the log's head from reading its newest timestamp until the commit. So cursors rise in
 *    the order of the commits, and no reader sees an entry before an earlier one.
 * 2. A change of a log's segments holds the lock of its lease, and of its head when blocks leave the log.
 * 3. A list is one statement: it sees blocks or the segment made from them, never both and never neither.
 */
export function createBlockTable(db: Kysely<LogDatabase>): BlockTable {
  return {
    append: (place, { writer, sequence }, make) =>
      db.transaction().execute(async (transaction) => {
        const last = await lockHead(transaction, place);
        const block = await make(last === '' ? undefined : last);
        const { account, deployment } = place;
        // A block that is there already has its sequence in `log_writers`, and changes nothing.
        const { rows } = await sql<HeadRow>`
          with fresh as (
            insert into log_writers as known (account, deployment, writer, sequence, written_at)
            values (${account}, ${deployment}, ${writer}, ${sequence}, now())
            on conflict (account, deployment, writer)
              do update set sequence = excluded.sequence, written_at = excluded.written_at
              where known.sequence < excluded.sequence
            returning 1
          ), added as (
            insert into log_blocks
              (slot, account, deployment, starts_at, ends_at, row_count, size_bytes, severities, body)
            select slot, ${account}, ${deployment}, ${block.startsAt}, ${block.endsAt}, ${block.rows}::bigint,
              ${block.sizeBytes}::bigint, ${block.severities}::integer, ${block.body}::bytea
            from log_slots where exists (select from fresh)
          )
          update log_heads set last_at = ${block.endsAt}, open_blocks = open_blocks + 1,
            open_bytes = open_bytes + ${block.sizeBytes}::bigint, open_since = coalesce(open_since, now())
          where account = ${account} and deployment = ${deployment} and exists (select from fresh)
          returning last_at, open_blocks, open_bytes`.execute(transaction);
        return rows[0] ? toHead(rows[0]) : { lastTimestamp: last, openBlocks: 0, openBytes: 0 };
      }),
    async newest({ account, deployment }) {
      const head = await db
        .selectFrom('log_heads')
        .select('last_at')
        .where('account', '=', account)
        .where('deployment', '=', deployment)
        .executeTakeFirst();
      return head?.last_at || undefined;
    },
    async list({ account, deployment }, since = '') {
      const { rows } = await sql<LogSegmentsTable>`
        select object_key, store, starts_at, ends_at, row_count, size_bytes, severities from log_segments
        where account = ${account} and deployment = ${deployment} and ends_at > ${since}
        union all
        select '', '', starts_at, ends_at, row_count, size_bytes, severities
        from log_heads head join log_blocks block using (account, deployment)
        where account = ${account} and deployment = ${deployment} and head.open_blocks > 0
          and starts_at > head.sealed_until and ends_at > ${since}
        order by starts_at`.execute(db);
      const content = rows.map(toSegment);
      return {
        segments: content.filter(({ key }) => key !== ''),
        blocks: content
          .filter(({ key }) => key === '')
          .map(({ startsAt, endsAt, rows: count, severities, sizeBytes }) => ({
            ...{ startsAt, endsAt, rows: count, severities, sizeBytes },
          })),
      };
    },
    async bodies({ account, deployment }, from, until) {
      const rows = await db
        .selectFrom('log_blocks')
        .select(['starts_at', 'body'])
        .where('account', '=', account)
        .where('deployment', '=', deployment)
        .where('starts_at', '>=', from)
        .where('starts_at', '<=', until)
        .orderBy('starts_at')
        .execute();
      return rows.map(({ starts_at: startsAt, body }) => ({ startsAt, body }));
    },
    async deployments(account) {
      const { rows } = await sql<Pick<LogPlace, 'deployment'>>`
        select deployment from log_heads where account = ${account}
        union select deployment from log_segments where account = ${account} order by deployment`.execute(db);
      return rows.map(({ deployment }) => deployment);
    },
    async oldest() {
      const { rows } = await sql<LogPlace & { readonly endsAt: string }>`
        select account, deployment, min(ends_at) as "endsAt" from log_segments group by account, deployment
        union all
        select account, deployment, min(ends_at) from log_heads head join log_blocks block using (account, deployment)
        where head.open_blocks > 0 and starts_at > head.sealed_until group by account, deployment`.execute(db);
      return rows.map(({ account, deployment, endsAt }): OldestSegment => ({ place: { account, deployment }, endsAt }));
    },
    async due({ openBytes, openBlocks, openMs, garbageMs }) {
      const { rows } = await sql<LogPlace>`
        select account, deployment from log_heads
        where open_blocks > 0
          and (open_bytes > ${openBytes} or open_blocks >= ${openBlocks} or open_since <= ${ago(openMs)})
        union select account, deployment from log_garbage where since <= ${ago(garbageMs)}`.execute(db);
      return rows.map(({ account, deployment }) => ({ account, deployment }));
    },
    async lease({ account, deployment }, holder, durationMs, epoch = 0) {
      const { rows } = await sql<Omit<LogLease, 'holder'>>`
        with own as (
          insert into log_leases as known (account, deployment, holder, epoch, expires_at)
          values (${account}, ${deployment}, ${holder}, 1, now() + ${interval(durationMs)})
          on conflict (account, deployment) do update set
            holder = excluded.holder,
            expires_at = excluded.expires_at,
            epoch = known.epoch + case when known.holder = excluded.holder and known.epoch = ${epoch} then 0 else 1 end
            where known.expires_at <= now() or (known.holder = excluded.holder and known.epoch = ${epoch})
          returning epoch
        )
        select own.epoch, coalesce(head.open_blocks, 0) as "openBlocks",
          coalesce(extract(epoch from now() - head.open_since) * 1000, 0) as "openMs"
        from own left join log_heads head on head.account = ${account} and head.deployment = ${deployment}`.execute(db);
      return rows[0] && { holder, ...rows[0] };
    },
    async release({ account, deployment }, { holder, epoch }) {
      await sql`update log_leases set expires_at = now()
        where account = ${account} and deployment = ${deployment} and holder = ${holder} and epoch = ${epoch}`.execute(
        db,
      );
    },
    announce: (place, lease, { key, store }) =>
      withLease(db, place, lease, async (transaction) => {
        const { account, deployment } = place;
        await sql`insert into log_garbage values (${account}, ${deployment}, ${key}, ${store}, now())
          on conflict (account, deployment, object_key, store) do update set since = now()`.execute(transaction);
        return true;
      }),
    change: (place, lease, { add, remove, sealedUntil }) =>
      withLease(db, place, lease, async (transaction) => {
        const { account, deployment } = place;
        if (add) {
          const { numDeletedRows } = await garbageRow(transaction, place, add.key, add.store).executeTakeFirstOrThrow();
          if (numDeletedRows === 0n) return false;
        }
        for (const { key, store } of remove) {
          await sql`with gone as (
              delete from log_segments where account = ${account} and deployment = ${deployment} and object_key = ${key}
              returning store
            ) insert into log_garbage select ${account}, ${deployment}, ${key}, ${store}, now() from gone`.execute(
            transaction,
          );
        }
        if (add) await transaction.insertInto('log_segments').values(toRow(place, add)).execute();
        if (sealedUntil !== undefined) {
          // Locked by a statement of its own: the next one sees the blocks of those who held the lock before.
          await lockHead(transaction, place);
          await sql`update log_heads set sealed_until = ${sealedUntil}, open_blocks = blocks, open_bytes = bytes,
              open_since = since
            from (
              select count(*) as blocks, coalesce(sum(size_bytes), 0) as bytes, min(written_at) as since
              from log_blocks
              where account = ${account} and deployment = ${deployment} and starts_at > ${sealedUntil}
            ) as remaining
            where account = ${account} and deployment = ${deployment}`.execute(transaction);
        }
        return true;
      }),
    async garbage({ account, deployment }, olderThanMs) {
      const rows = await db
        .selectFrom('log_garbage')
        .select(['object_key as key', 'store'])
        .where('account', '=', account)
        .where('deployment', '=', deployment)
        .where('since', '<=', ago(olderThanMs))
        .execute();
      return rows;
    },
    async forget(place, lease, objects) {
      await withLease(db, place, lease, async (transaction) => {
        for (const { key, store } of objects) await garbageRow(transaction, place, key, store).execute();
        return true;
      });
    },
    reclaim: () => reclaimBlocks(db),
  };
}

type HeadRow = Pick<LogDatabase['log_heads'], 'last_at'> & {
  readonly open_blocks: number;
  readonly open_bytes: number;
};

function toHead(row: HeadRow): LogHead {
  return { lastTimestamp: row.last_at, openBlocks: row.open_blocks, openBytes: row.open_bytes };
}

function garbageRow(transaction: Transaction<LogDatabase>, place: LogPlace, key: string, store: string) {
  return transaction
    .deleteFrom('log_garbage')
    .where('account', '=', place.account)
    .where('deployment', '=', place.deployment)
    .where('object_key', '=', key)
    .where('store', '=', store);
}

/** Locks the head of a log, which is created if it is missing. Returns the newest timestamp; empty without entries. */
async function lockHead(transaction: Transaction<LogDatabase>, { account, deployment }: LogPlace): Promise<string> {
  const lock = transaction
    .selectFrom('log_heads')
    .select('last_at')
    .where('account', '=', account)
    .where('deployment', '=', deployment)
    .forUpdate();
  const head = await lock.executeTakeFirst();
  if (head) return head.last_at;
  await transaction
    .insertInto('log_heads')
    .values({ account, deployment, last_at: '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await lock.executeTakeFirstOrThrow()).last_at;
}

/** Runs `work` in a transaction that holds the lock of a log's lease. Returns false when another server has the lease. */
function withLease(
  db: Kysely<LogDatabase>,
  { account, deployment }: LogPlace,
  { holder, epoch }: LogLease,
  work: (transaction: Transaction<LogDatabase>) => Promise<boolean>,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const lease = await transaction
      .selectFrom('log_leases')
      .select('epoch')
      .where('account', '=', account)
      .where('deployment', '=', deployment)
      .where('holder', '=', holder)
      .where('epoch', '=', epoch)
      .forUpdate()
      .executeTakeFirst();
    return lease !== undefined && (await work(transaction));
  });
}

const interval = (ms: number) => sql<string>`make_interval(secs => ${ms / 1_000})`;
const ago = (ms: number) => sql<Date>`now() - ${interval(ms)}`;
