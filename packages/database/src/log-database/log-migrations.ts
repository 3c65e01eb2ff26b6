import type { Migration } from '@berth/sqlite';
import { sql } from 'kysely';
import { logSegmentsMigration } from '../migrations/0009-log-segments.ts';

/** Columns that name a log. */
const PLACE = sql`account text collate "C" not null, deployment text collate "C" not null`;

const blocksMigration: Migration = {
  id: 1,
  name: 'log-blocks',
  async up(db) {
    await logSegmentsMigration.up(db);
    // Room in the pages, so that the update of each append stays in its page and needs no index entry.
    await sql`create table log_heads (
      ${PLACE},
      last_at text collate "C" not null,
      sealed_until text collate "C" not null default '',
      open_blocks integer not null default 0,
      open_bytes bigint not null default 0,
      open_since timestamptz,
      primary key (account, deployment)
    ) with (fillfactor = 50)`.execute(db);
    await sql`create table log_writers (
      ${PLACE},
      writer text not null,
      sequence bigint not null,
      written_at timestamptz not null,
      primary key (account, deployment, writer)
    ) with (fillfactor = 50)`.execute(db);
    await sql`create table log_leases (
      ${PLACE},
      holder text not null,
      epoch bigint not null,
      expires_at timestamptz not null,
      primary key (account, deployment)
    )`.execute(db);
    await sql`create table log_garbage (
      ${PLACE},
      object_key text collate "C" not null,
      store text not null,
      since timestamptz not null,
      primary key (account, deployment, object_key, store)
    )`.execute(db);
    await sql`create table log_slots (id integer primary key, slot integer not null, since timestamptz not null)`.execute(
      db,
    );
    await sql`insert into log_slots values (1, 0, now())`.execute(db);
    await sql`create table log_blocks (
      slot integer not null,
      ${PLACE},
      starts_at text collate "C" not null,
      ends_at text collate "C" not null,
      row_count bigint not null,
      size_bytes bigint not null,
      severities integer not null,
      written_at timestamptz not null default now(),
      body bytea not null,
      primary key (account, deployment, starts_at, slot)
    ) partition by list (slot)`.execute(db);
    for (const slot of [0, 1]) {
      const partition = sql.table(`log_blocks_${slot}`);
      await sql`create table ${partition} partition of log_blocks for values in (${sql.lit(slot)})`.execute(db);
      // Bodies are compressed already.
      await sql`alter table ${partition} alter column body set storage external`.execute(db);
    }
  },
};

/** Every migration of the log database, in order. */
export const LOG_MIGRATIONS: readonly Migration[] = [blocksMigration];
