import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError, type Logger } from '@berth/kit';
import pg from 'pg';
import { connectionSettings } from './open-pool.ts';
import { unusable } from './report-unreachable.ts';

/** Advisory lock of the server that uses a database. The number is arbitrary. */
const SERVER_LOCK = 4_851_072_303;

/** A server that was killed holds its lock until Postgres notices that its connection is gone. */
const WAIT_MS = 15_000;
const RETRY_MS = 250;

/** A held claim. */
export interface DatabaseClaim {
  release(): Promise<void>;
}

/** Options of {@link claimDatabase}. */
export interface ClaimOptions {
  readonly logger: Logger;
  /** Other servers may claim the database too, if they share it as well. */
  readonly isShared: boolean;
}

/**
 * Claims a database for one server, or for all that share it, until the claim is released or the process ends. A connection that breaks
 * is replaced.
 * @throws `conflict` when another server has claimed it for itself, or this one wants it for itself, and that is so after 15 s;
 *   `unavailable` when it can't be used.
 */
export async function claimDatabase(url: string, { logger, isShared }: ClaimOptions): Promise<DatabaseClaim> {
  const closing = new AbortController();
  let client = await take(url, isShared).catch((error: unknown) => {
    throw BerthError.is(error) ? error : unusable(error);
  });
  const keep = async () => {
    while (!closing.signal.aborted) {
      await new Promise<void>((resolve) => client.once('end', resolve));
      while (!closing.signal.aborted) {
        try {
          client = await take(url, isShared);
          break;
        } catch (error) {
          // During an outage, which the pool logs, each attempt fails.
          if (BerthError.is(error)) logger.error({ error: error.message }, 'the database cannot be claimed again');
          await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
        }
      }
    }
  };
  const kept = keep();
  return {
    async release() {
      closing.abort();
      await client.end().catch(() => {});
      await kept;
    },
  };
}

async function take(url: string, isShared: boolean): Promise<pg.Client> {
  const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
  const client = new pg.Client(connectionSettings(url));
  // Its end is what matters, and the error comes with it.
  client.on('error', () => {});
  await client.connect();
  try {
    for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
      const { rows } = await client.query<{ readonly is_mine: boolean }>(`select ${lock}($1) as is_mine`, [
        SERVER_LOCK,
      ]);
      if (rows[0]?.is_mine) return client;
      if (waitedMs >= WAIT_MS) break;
      await sleep(RETRY_MS);
    }
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  await client.end();
  throw new BerthError({
    code: 'conflict',
    status: 409,
    message:
      'Another server uses this Postgres database. Stop it first, set BERTH_DATABASE_URL to another database, or let all servers share their objects too, with BERTH_S3_BUCKET or BERTH_SHARED_FOLDER on each of them.',
  });
}
