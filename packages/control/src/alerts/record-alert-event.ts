import type { AlertEventsTable, AlertRulesTable, Database } from '@berth/database';
import type { IdSource } from '@berth/kit';
import type { MailOutbox } from '@berth/mail';
import type { Kysely } from 'kysely';

/** The dependencies of {@link recordAlertEvent}. */
export interface RecordDeps {
  readonly ids: IdSource;
  /** Undefined when the server sends no mail. */
  readonly outbox: Pick<MailOutbox, 'put'> | undefined;
  /** The address of the console. */
  readonly baseUrl: string;
}

type NewEvent = Pick<AlertEventsTable, 'kind' | 'subject' | 'message'> & { readonly nowMs: number };

/**
 * Records a change of state with its notifications, in the transaction that decided it: each is sent at least once, with the
 * event's id. Mail goes only to people who are still members and whose address is confirmed.
 */
export async function recordAlertEvent(
  rule: AlertRulesTable,
  { nowMs, ...change }: NewEvent,
  { ids, outbox, baseUrl }: RecordDeps,
  transaction: Kysely<Database>,
): Promise<string> {
  const id = ids.next('alv');
  const { account_id, title } = rule;
  await transaction
    .insertInto('alert_events')
    .values({ id, account_id, rule_id: rule.id, title, created_at: nowMs, ...change })
    .execute();
  const deliver = (channel: 'email' | 'webhook', target: string, mailId: string | null) =>
    transaction
      .insertInto('alert_deliveries')
      .values({
        ...{ id: ids.next('ald'), event_id: id, channel, target, mail_id: mailId },
        ...{ state: 'queued' as const, attempts: 0, next_attempt_at: nowMs, last_error: null },
      })
      .execute();
  if (rule.webhook_url !== null) await deliver('webhook', rule.webhook_url, null);
  if (!outbox) return id;
  const link = new URL(change.subject === '' ? '/billing' : `/deployments/${change.subject}`, baseUrl).href;
  for (const { email, language } of await findReceivers(rule, transaction)) {
    const letter = { kind: 'alert', title, state: change.kind, message: change.message, link } as const;
    const mailId = await outbox.put(
      { to: email, accountId: account_id, language: language ?? 'en', letter },
      transaction,
    );
    await deliver('email', email, mailId);
  }
  return id;
}

async function findReceivers(rule: AlertRulesTable, transaction: Kysely<Database>) {
  const userIds = JSON.parse(rule.user_ids) as string[];
  if (userIds.length === 0) return [];
  return transaction
    .selectFrom('auth_users as user')
    .innerJoin('account_members as member', 'member.user_id', 'user.id')
    .select(['user.email', 'user.language'])
    .where('member.account_id', '=', rule.account_id)
    .where('user.id', 'in', userIds)
    .where('user.email_verified', '=', 1)
    .execute();
}
