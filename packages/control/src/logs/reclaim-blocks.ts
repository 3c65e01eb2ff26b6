import type { LogDatabase } from '@berth/database';
import { type Kysely, sql, type Transaction } from 'kysely';

/** Blocks are appended to one partition for this long, before the other one takes their place. */
const SLOT_MINUTES = 10;

/** A process that appends again after a lost answer does it within seconds; a week is for one without a network. */
const WRITER_DAYS = 7;

/** SQLSTATE lock_not_available. Source: the PostgreSQL manual, appendix A. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Truncates the partition that nothing is appended to, when all its blocks have left their logs, and makes it the one
 * that blocks are appended to. So no block is deleted on its own, which would leave as much for VACUUM as was logged.
 */
export async function reclaimBlocks(db: Kysely<LogDatabase>): Promise<void> {
  try {
    await db.transaction().execute(switchSlots);
  } catch (error) {
    // A statement that reads the partition runs for long: the next call tries again.
    if ((error as { readonly code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  }
}

async function switchSlots(transaction: Transaction<LogDatabase>): Promise<void> {
  // Skipped while another server does the same.
  const { rows } = await sql<{ readonly slot: number }>`select slot from log_slots
    where since <= now() - make_interval(mins => ${SLOT_MINUTES}) for update skip locked`.execute(transaction);
  const [current] = rows;
  if (!current) return;
  const slot = 1 - current.slot;
  if (await hasOpenBlocks(transaction, slot)) return;
  const partition = sql.table(`log_blocks_${slot}`);
  await sql`set local lock_timeout = '1s'`.execute(transaction);
  // Who began to append when this was still the current partition has finished, or waits.
  await sql`lock table ${partition} in access exclusive mode`.execute(transaction);
  if (await hasOpenBlocks(transaction, slot)) return;
  await sql`truncate ${partition}`.execute(transaction);
  await sql`update log_slots set slot = ${slot}, since = now()`.execute(transaction);
  await sql`delete from log_writers where written_at < now() - make_interval(days => ${WRITER_DAYS})`.execute(
    transaction,
  );
}

async function hasOpenBlocks(transaction: Transaction<LogDatabase>, slot: number): Promise<boolean> {
  const { rows } = await sql`select 1 from log_blocks block join log_heads head using (account, deployment)
    where block.slot = ${slot} and block.ends_at > head.sealed_until limit 1`.execute(transaction);
  return rows.length > 0;
}
