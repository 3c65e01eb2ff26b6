import type { AuditAction, AuditEntry, AuditPage } from '@berth/contract';
import type { AuditLogTable, Database } from '@berth/database';
import type { AccountId, Clock, IdSource } from '@berth/kit';
import { type Kysely, sql } from 'kysely';
import type { ApiContext } from '../http/api.ts';
import { type AuditActor, type NameOfActor, nameActors } from './name-actors.ts';
import { type NameOfTarget, nameTargets } from './name-targets.ts';

/** The actor and the request of a change. */
export interface AuditSource {
  readonly actor: AuditActor;
  /** The request that asked for it; absent for background work. */
  readonly requestId?: string | undefined;
}

/** The source of a change to something of the caller's own account. */
export interface AccountSource extends AuditSource {
  readonly accountId: AccountId;
}

/** A change to something of an account. */
export interface AuditRecord extends AccountSource {
  readonly action: AuditAction;
  /** Id or name of the changed thing. */
  readonly target: string;
  /** Small, and without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The audit log. It is append-only: no record is changed or removed. */
export interface AuditLog {
  /** Appends a record; with `transaction`, in the same transaction as the change. */
  record(record: AuditRecord, transaction?: Kysely<Database>): Promise<void>;
  /** Returns the account's records, newest first; `before` is the previous page's `next_page_token`. */
  list(query: {
    readonly accountId: AccountId;
    readonly limit: number;
    readonly before?: string | undefined;
    readonly only?: AuditSelection;
  }): Promise<AuditPage>;
}

/** A filter of audit records. Undefined fields match everything. */
export interface AuditSelection {
  /** Id of a key or person, or `system`. */
  readonly actor?: string | undefined;
  /** An action, or the noun that several share. */
  readonly action?: string | undefined;
  /** A part of the target. */
  readonly target?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

/** Returns the source of a change that a request makes. */
export function auditSource(c: ApiContext): AccountSource {
  const { accountId, kind, keyId, userId } = c.get('principal');
  return { accountId, actor: { kind, id: keyId ?? userId ?? null }, requestId: c.get('requestId') };
}

/** The source of a change that the platform makes by itself. */
export const SYSTEM_SOURCE: AuditSource = { actor: { kind: 'system', id: null } };

/** Shared dependencies of the services of accounts, which record their changes in the audit log. */
export interface ServiceDeps {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly audit: Pick<AuditLog, 'record'>;
}

export function createAuditLog({ db, clock, ids }: Omit<ServiceDeps, 'audit'>): AuditLog {
  return {
    async record({ accountId, actor, action, target, details = {}, requestId }, transaction = db) {
      await transaction
        .insertInto('audit_log')
        .values({
          id: ids.next('aud'),
          account_id: accountId,
          created_at: clock.nowMs(),
          actor_kind: actor.kind,
          actor_id: actor.id,
          action,
          target,
          details: JSON.stringify(details),
          request_id: requestId ?? null,
        })
        .execute();
    },
    async list({ accountId, limit, before, only = {} }) {
      // One extra row shows whether there is another page.
      let query = db.selectFrom('audit_log').selectAll().where('account_id', '=', accountId);
      if (before !== undefined) query = query.where('id', '<', before);
      const { actor, action, target, fromMs, untilMs } = only;
      if (actor === 'system') query = query.where('actor_kind', '=', 'system');
      else if (actor !== undefined) query = query.where('actor_id', '=', actor);
      if (action?.includes('.')) query = query.where('action', '=', action);
      else if (action !== undefined) query = query.where(matches('action', `${escapeLike(action)}.%`));
      if (target !== undefined) query = query.where(matches('target', `%${escapeLike(target)}%`));
      if (fromMs !== undefined) query = query.where('created_at', '>=', fromMs);
      if (untilMs !== undefined) query = query.where('created_at', '<', untilMs);
      const rows = await query
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      const page = rows.slice(0, limit);
      const nameOf = await nameActors(
        db,
        accountId,
        page.map((row) => ({ kind: row.actor_kind, id: row.actor_id })),
      );
      const nameOfTarget = await nameTargets(db, accountId, page);
      return {
        entries: page.map((row) => toEntry(row, nameOf, nameOfTarget)),
        next_page_token: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    },
  };
}

/** Appends a record to the log of each of a person's accounts, since a change of sign-in affects them all. */
export async function auditPerson(
  audit: Pick<AuditLog, 'record'>,
  userId: string,
  record: Omit<AuditRecord, 'accountId'>,
  transaction: Kysely<Database>,
): Promise<void> {
  const accounts = transaction.selectFrom('account_members').select('account_id').where('user_id', '=', userId);
  for (const { account_id } of await accounts.execute()) {
    await audit.record({ ...record, accountId: account_id as AccountId }, transaction);
  }
}

function matches(column: 'action' | 'target', pattern: string) {
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

function toEntry(row: AuditLogTable, nameOf: NameOfActor, nameOfTarget: NameOfTarget): AuditEntry {
  const actor = { kind: row.actor_kind, id: row.actor_id };
  return {
    id: row.id,
    time: new Date(row.created_at).toISOString(),
    actor,
    actor_name: nameOf(actor).name,
    action: row.action,
    target: row.target,
    target_name: nameOfTarget(row),
    details: JSON.parse(row.details) as Record<string, unknown>,
    request_id: row.request_id,
  };
}
