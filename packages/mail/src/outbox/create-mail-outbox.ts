import { createError, type MailState, type StoredMail } from '@berth/contract';
import { type Database, type MailOutboxTable, mailContext, type Sealer } from '@berth/database';
import { backoffMs, type Clock, type IdSource } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { AddressedMail } from '../smtp/create-smtp-transport.ts';
import { type ComposedMail, composeMail } from '../texts/compose-mail.ts';
import type { Letter } from '../texts/letter.ts';
import { isMailAddress } from '../texts/mail-address.ts';
import type { MailLanguage } from '../texts/mail-language.ts';

/** Attempts before a mail is given up: about six hours with {@link BACKOFF}. */
const MAX_ATTEMPTS = 12;
const BACKOFF = { baseMs: 30_000, maxMs: 3_600_000 } as const;

/** How long the operator can look up a mail that ended. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Mails of {@link MailOutbox.list}. */
const LISTED = 100;

/** A mail that was decided. */
export interface OutgoingMail {
  readonly to: string;
  readonly language: MailLanguage;
  readonly letter: Letter;
  /** The account that the mail is about. */
  readonly accountId?: string | undefined;
  /** After this time it is not worth sending. Epoch milliseconds, wall clock. */
  readonly expiresAtMs?: number | undefined;
}

/** A mail whose letter is made when it is sent, so that asking for it takes the same time whether or not there will be one. */
export interface MailRequest extends Pick<OutgoingMail, 'to' | 'language' | 'expiresAtMs'> {
  readonly kind: Letter['kind'];
}

/** Makes the letter of a request, in the transaction that stores it; undefined when there is none to send. */
export type ResolveRequest = (
  request: { readonly to: string; readonly language: MailLanguage },
  transaction: Kysely<Database>,
) => Promise<Pick<OutgoingMail, 'letter' | 'language'> | undefined>;

type Content = { readonly mail: ComposedMail } | { readonly request: { readonly language: MailLanguage } };

/** A mail whose attempt has been recorded. */
export type BegunMail = AddressedMail & { readonly attempts: number };

/**
 * Mails that were decided, in the database. Invariants:
 * 1. A mail exists exactly when the transaction that decided it was committed.
 * 2. An attempt is recorded before it begins. A server that is killed in between sends the mail again, with the same id.
 * 3. The text is sealed, and erased when the mail was sent or given up.
 */
export type MailOutbox = ReturnType<typeof createMailOutbox>;

/** Options of {@link createMailOutbox}. */
export interface CreateMailOutboxOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly sealer: Sealer;
}

export function createMailOutbox({ db, clock, ids, sealer }: CreateMailOutboxOptions) {
  const resolvers = new Map<Letter['kind'], ResolveRequest>();

  const insert = async (
    { to, kind, accountId, expiresAtMs }: Omit<MailRequest, 'language'> & Pick<OutgoingMail, 'accountId'>,
    content: Content,
    transaction: Kysely<Database>,
  ): Promise<string> => {
    if (!isMailAddress(to)) throw createError('invalid', 'Berth can’t send mail to this address.');
    const id = ids.next('eml');
    const nowMs = clock.nowMs();
    const box = await sealer.current(transaction);
    await transaction
      .insertInto('mail_outbox')
      .values({
        id,
        account_id: accountId ?? null,
        kind,
        recipient: to,
        sealed_content: box.seal(JSON.stringify(content), mailContext(id)),
        state: 'queued',
        attempts: 0,
        next_attempt_at: nowMs,
        expires_at: expiresAtMs ?? null,
        last_error: null,
        created_at: nowMs,
        ended_at: null,
      })
      .execute();
    return id;
  };

  const end = (id: string, state: 'sent' | 'dead', lastError: string | null, transaction: Kysely<Database>) =>
    transaction
      .updateTable('mail_outbox')
      .set({ state, last_error: lastError, sealed_content: null, ended_at: clock.nowMs() })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute();

  return {
    /** Stores a mail with the change that caused it. @throws `invalid` for an address that mail can't be sent to */
    put: ({ letter, language, ...mail }: OutgoingMail, transaction: Kysely<Database>): Promise<string> =>
      insert({ ...mail, kind: letter.kind }, { mail: composeMail(letter, language) }, transaction),

    /** Stores a request whose letter is made by the function given to `resolve`. */
    request: ({ language, ...mail }: MailRequest, transaction: Kysely<Database> = db): Promise<string> =>
      insert(mail, { request: { language } }, transaction),

    /** Sets who makes the letters of requests of a kind. */
    resolve(kind: Letter['kind'], make: ResolveRequest): void {
      resolvers.set(kind, make);
    },

    /** Ids of the mails to send now, the ones due first before others. */
    async due(limit: number): Promise<readonly string[]> {
      const rows = await db
        .selectFrom('mail_outbox')
        .select('id')
        .where('state', '=', 'queued')
        .where('next_attempt_at', '<=', clock.nowMs())
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Records an attempt and returns the mail; undefined when there is nothing to send any more. */
    async begin(id: string, transaction: Kysely<Database>): Promise<BegunMail | undefined> {
      const rows = transaction.selectFrom('mail_outbox').selectAll().where('id', '=', id);
      const row = await rows.where('state', '=', 'queued').executeTakeFirst();
      if (!row || row.sealed_content === null) return undefined;
      const nowMs = clock.nowMs();
      if (row.expires_at !== null && row.expires_at <= nowMs) {
        const reason = 'It expired before it could be sent.';
        await end(id, 'dead', row.last_error === null ? reason : `${reason} ${row.last_error}`, transaction);
        return undefined;
      }
      let sealed = row.sealed_content;
      let content = JSON.parse(sealer.open(sealed, mailContext(id))) as Content;
      if ('request' in content) {
        const request = { to: row.recipient, language: content.request.language };
        const made = await resolvers.get(row.kind as Letter['kind'])?.(request, transaction);
        if (!made) {
          await transaction.deleteFrom('mail_outbox').where('id', '=', id).execute();
          return undefined;
        }
        content = { mail: composeMail(made.letter, made.language) };
        sealed = (await sealer.current(transaction)).seal(JSON.stringify(content), mailContext(id));
      }
      const attempts = row.attempts + 1;
      await transaction
        .updateTable('mail_outbox')
        .set({ attempts, sealed_content: sealed, next_attempt_at: nowMs + backoffMs(row.attempts, BACKOFF) })
        .where('id', '=', id)
        .execute();
      return { id, to: row.recipient, createdAtMs: row.created_at, attempts, ...content.mail };
    },

    /** Records that the mail server has the mail. */
    sent: async (id: string, transaction: Kysely<Database>): Promise<void> =>
      void (await end(id, 'sent', null, transaction)),

    /** Records a failed attempt. The mail is given up when the failure is final, and after {@link MAX_ATTEMPTS}. */
    async failed(
      { id, attempts }: Pick<BegunMail, 'id' | 'attempts'>,
      { message, isFinal }: { readonly message: string; readonly isFinal: boolean },
      transaction: Kysely<Database>,
    ): Promise<'queued' | 'dead'> {
      if (isFinal || attempts >= MAX_ATTEMPTS) {
        await end(id, 'dead', message, transaction);
        return 'dead';
      }
      await transaction.updateTable('mail_outbox').set({ last_error: message }).where('id', '=', id).execute();
      return 'queued';
    },

    /** Forgets mails that ended a month ago. */
    async prune(): Promise<void> {
      await db
        .deleteFrom('mail_outbox')
        .where('ended_at', '<', clock.nowMs() - KEPT_MS)
        .execute();
    },

    /** The newest mails, without their text. */
    async list(): Promise<readonly StoredMail[]> {
      const rows = await db.selectFrom('mail_outbox').selectAll().orderBy('id', 'desc').limit(LISTED).execute();
      return rows.map(toStoredMail);
    },

    /** Counts the mails of the last month by state. */
    async counts(): Promise<Readonly<Record<MailState, number>>> {
      const rows = await db
        .selectFrom('mail_outbox')
        .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute();
      const count = (state: MailState) => Number(rows.find((row) => row.state === state)?.count ?? 0);
      return { queued: count('queued'), sent: count('sent'), dead: count('dead') };
    },
  };
}

function toStoredMail(row: MailOutboxTable): StoredMail {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: row.id,
    kind: row.kind,
    to: row.recipient,
    state: row.state,
    attempts: row.attempts,
    last_error: row.last_error,
    next_attempt_at: row.state === 'queued' ? time(row.next_attempt_at) : null,
    created_at: new Date(row.created_at).toISOString(),
    ended_at: time(row.ended_at),
  };
}
