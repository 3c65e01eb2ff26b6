import type { Database } from '@berth/database';
import { type Clock, describeError, forEachConcurrently, type Logger, type Timer } from '@berth/kit';
import type { Kysely } from 'kysely';
import { MailRefusedError, type MailTransport } from '../smtp/create-smtp-transport.ts';
import type { MailOutbox } from './create-mail-outbox.ts';

/** How often a server looks for mails that are due. */
const POLL_MS = 1_000;
/** Mails of one pass, and how many of them are sent at once. */
const BATCH = 20;
const CONCURRENCY = 4;

/** Work that one of several servers does at a time. */
interface ExclusiveWork {
  run<Value>(
    name: string,
    work: (lease: {
      readonly signal: AbortSignal;
      require(transaction: Kysely<Database>): Promise<void>;
    }) => Promise<Value>,
  ): Promise<{ readonly value: Value } | undefined>;
}

/** Options of {@link createMailCourier}. */
export interface CreateMailCourierOptions {
  readonly db: Kysely<Database>;
  readonly outbox: MailOutbox;
  readonly transport: MailTransport;
  readonly leases: ExclusiveWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Sends the mails of an outbox, on one server at a time. */
export interface MailCourier {
  /** Begins to look for mails. */
  start(): void;
  /** Stops, after the running attempts or `boundMs`. Idempotent. */
  close(boundMs?: number): Promise<void>;
}

export function createMailCourier({
  db,
  outbox,
  transport,
  leases,
  clock,
  logger,
}: CreateMailCourierOptions): MailCourier {
  let timer: Timer | undefined;
  let isClosed = false;
  let running: Promise<void> = Promise.resolve();

  const pass = async (): Promise<void> => {
    // Without a lease, so that idle servers write nothing.
    if ((await outbox.due(1)).length === 0) return;
    await leases.run('mail', async (lease) => {
      const ids = await outbox.due(BATCH);
      await forEachConcurrently(ids, { concurrency: CONCURRENCY }, async (id) => {
        if (isClosed || lease.signal.aborted) return;
        await attempt(id, lease.require);
      });
      await outbox.prune();
    });
  };

  const attempt = async (id: string, requireLease: (transaction: Kysely<Database>) => Promise<void>): Promise<void> => {
    const within = <Value>(work: (transaction: Kysely<Database>) => Promise<Value>) =>
      db.transaction().execute(async (transaction) => {
        await requireLease(transaction);
        return work(transaction);
      });
    const mail = await within((transaction) => outbox.begin(id, transaction));
    if (!mail) return;
    try {
      await transport.send(mail);
    } catch (error) {
      const refusal = error instanceof MailRefusedError ? error : new MailRefusedError(String(error), false);
      const state = await within((transaction) => outbox.failed(mail, refusal, transaction));
      logger.warn({ mail: id, attempts: mail.attempts, state, error: refusal.message }, 'a mail was not accepted');
      return;
    }
    await within((transaction) => outbox.sent(id, transaction));
  };

  const tick = () => {
    if (isClosed) return;
    running = pass()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'mails could not be sent; will retry'))
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(POLL_MS, tick);
      });
  };

  return {
    start() {
      tick();
    },
    async close(boundMs = 2_000) {
      isClosed = true;
      timer?.cancel();
      const bound = new AbortController();
      await Promise.race([running, clock.sleep(boundMs, bound.signal).catch(() => {})]);
      bound.abort();
    },
  };
}
