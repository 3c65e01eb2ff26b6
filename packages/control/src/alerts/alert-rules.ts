import type { AccountSource } from '@berth/accounts';
import { type Alert, type AlertCondition, type AlertEvent, createError, createValidationError } from '@berth/contract';
import { type AlertRulesTable, alertSecretContext, type Database, type Sealer } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { ControlContext } from '../context/control-context.ts';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { type RecordDeps, recordAlertEvent } from './record-alert-event.ts';
import { createWebhookSecret } from './sign-webhook.ts';

/** Rules of an account. */
const MAX_RULES = 100;
/** Test notifications are as many as a person needs, and no way to send mail to others. */
const TEST_PAUSE_MS = 10_000;

/** A rule as the API takes it. Undefined fields of an update stay as they are. */
export interface AlertInput {
  readonly title?: string | undefined;
  readonly condition?: AlertCondition | undefined;
  readonly emails?: readonly string[] | undefined;
  readonly webhook_url?: string | null | undefined;
  readonly resolve_after_seconds?: number | undefined;
  readonly is_enabled?: boolean | undefined;
}

/** A rule with the secret of its webhook, if one was made. */
export type AlertWithSecret = Alert & { readonly webhook_secret: string | null };

/** Options of {@link createAlertRules}. */
export interface AlertRulesOptions extends Pick<ControlContext, 'db' | 'clock' | 'ids' | 'audit'> {
  readonly sealer: Sealer;
  readonly record: RecordDeps;
  /** Checks a URL before it is stored. @throws `invalid` */
  checkUrl(url: string): void;
}

/** The alert rules of accounts. Another account's rule is `not_found`. */
export type AlertRules = ReturnType<typeof createAlertRules>;

export function createAlertRules({ db, clock, ids, audit, sealer, record, checkUrl }: AlertRulesOptions) {
  const get = async (account: AccountId, id: string, from: Kysely<Database>): Promise<AlertRulesTable> => {
    const rules = from.selectFrom('alert_rules').selectAll().where('account_id', '=', account);
    const row = await rules.where('id', '=', id).executeTakeFirst();
    if (row) return row;
    throw createError('not_found', 'The account has no alert with this ID.');
  };

  /** Returns the ids of members with these addresses. @throws `invalid` for the address of another or an unconfirmed one */
  const findMembers = async (
    account: AccountId,
    emails: readonly string[],
    from: Kysely<Database>,
  ): Promise<string[]> => {
    if (emails.length > 0 && !record.outbox) {
      throw createError('not_available', 'This platform sends no e-mail. Use a webhook.');
    }
    const members = await from
      .selectFrom('account_members as member')
      .innerJoin('auth_users as user', 'user.id', 'member.user_id')
      .select(['user.id', 'user.email'])
      .where('member.account_id', '=', account)
      .where('user.email_verified', '=', 1)
      .execute();
    return emails.map((email, index) => {
      const member = members.find((one) => one.email === email.toLowerCase());
      if (member) return member.id;
      const msg = 'must be the confirmed address of a member: confirm yours with `berth email ADDRESS`';
      throw createValidationError([{ loc: ['body', 'emails', index], msg, type: 'email_unconfirmed' }]);
    });
  };

  const sealSecret = async (id: string, transaction: Kysely<Database>) => {
    const secret = createWebhookSecret();
    const box = await sealer.current(transaction);
    return { secret, sealed: box.seal(secret, alertSecretContext(id)) };
  };

  const view = async (rows: readonly AlertRulesTable[], from: Kysely<Database>): Promise<Alert[]> => {
    if (rows.length === 0) return [];
    const ruleIds = rows.map(({ id }) => id);
    const states = await from.selectFrom('alert_states').selectAll().where('rule_id', 'in', ruleIds).execute();
    const userIds = rows.flatMap(({ user_ids }) => JSON.parse(user_ids) as string[]);
    const users = from
      .selectFrom('auth_users')
      .select(['id', 'email'])
      .where('id', 'in', ['', ...userIds]);
    const emails = new Map((await users.execute()).map(({ id, email }) => [id, email]));
    return rows.map((row) => ({
      ...{ id: row.id, title: row.title, deployment_name: row.deployment, webhook_url: row.webhook_url },
      condition: JSON.parse(row.condition) as AlertCondition,
      emails: (JSON.parse(row.user_ids) as string[]).flatMap((id) => emails.get(id) ?? []),
      resolve_after_seconds: row.resolve_after_ms / 1_000,
      is_enabled: row.is_enabled === 1,
      firing: states
        .filter(({ rule_id }) => rule_id === row.id)
        .map(({ subject, since }) => ({
          deployment_name: subject === '' ? null : subject,
          since: new Date(since).toISOString(),
        })),
      created_at: new Date(row.created_at).toISOString(),
    }));
  };

  const withSecret = async (
    row: AlertRulesTable,
    secret: string | null,
    from: Kysely<Database>,
  ): Promise<AlertWithSecret> => {
    const [alert] = await view([row], from);
    return { ...(alert as Alert), webhook_secret: secret };
  };

  return {
    /** The account's rules, oldest first. */
    async list(account: AccountId): Promise<Alert[]> {
      const rules = db.selectFrom('alert_rules').selectAll().where('account_id', '=', account);
      return view(await rules.orderBy('id').execute(), db);
    },

    /** @throws `forbidden` and `not_found` for the deployment; `invalid`, `not_available`, `too_many_requests` */
    create: (
      {
        deployment,
        ...input
      }: AlertInput & {
        readonly title: string;
        readonly condition: AlertCondition;
        readonly deployment: string | null;
      },
      source: AccountSource,
    ): Promise<AlertWithSecret> =>
      db.transaction().execute(async (transaction) => {
        const { accountId } = source;
        if (deployment !== null) await createDeploymentStore(transaction).get(accountId, deployment);
        const { webhook_url: url = null, emails = [], resolve_after_seconds: seconds = 300 } = input;
        if (url !== null) checkUrl(url);
        const rules = transaction.selectFrom('alert_rules').select('id').where('account_id', '=', accountId);
        if ((await rules.execute()).length >= MAX_RULES) {
          throw createError(
            'too_many_requests',
            `The account has ${MAX_RULES} alerts, the maximum. Remove some first.`,
          );
        }
        const id = ids.next('alr');
        const made = url === null ? undefined : await sealSecret(id, transaction);
        const row: AlertRulesTable = {
          ...{ id, account_id: accountId, title: input.title, deployment, webhook_url: url, is_enabled: 1 },
          condition: JSON.stringify(input.condition),
          user_ids: JSON.stringify(await findMembers(accountId, emails, transaction)),
          sealed_secret: made?.sealed ?? null,
          resolve_after_ms: seconds * 1_000,
          created_at: clock.nowMs(),
        };
        await transaction.insertInto('alert_rules').values(row).execute();
        await audit.record(
          { ...source, action: 'alert.create', target: id, details: { title: row.title } },
          transaction,
        );
        return withSecret(row, made?.secret ?? null, transaction);
      }),

    /** Changes a rule. A first webhook gets a secret. @throws `not_found`, `invalid`, `not_available` */
    update: ({ id, ...input }: AlertInput & { readonly id: string }, source: AccountSource): Promise<AlertWithSecret> =>
      db.transaction().execute(async (transaction) => {
        const { accountId } = source;
        const before = await get(accountId, id, transaction);
        const { webhook_url: url = before.webhook_url, emails, condition, resolve_after_seconds: seconds } = input;
        if (url !== null) checkUrl(url);
        const made = url !== null && before.sealed_secret === null ? await sealSecret(id, transaction) : undefined;
        const change = {
          title: input.title ?? before.title,
          condition: condition === undefined ? before.condition : JSON.stringify(condition),
          user_ids: emails ? JSON.stringify(await findMembers(accountId, emails, transaction)) : before.user_ids,
          webhook_url: url,
          sealed_secret: url === null ? null : (made?.sealed ?? before.sealed_secret),
          resolve_after_ms: seconds === undefined ? before.resolve_after_ms : seconds * 1_000,
          is_enabled: (input.is_enabled ?? before.is_enabled === 1) ? 1 : 0,
        };
        await transaction.updateTable('alert_rules').set(change).where('id', '=', id).execute();
        // A disabled rule forgets what it fired for, without a notification.
        if (change.is_enabled === 0) await transaction.deleteFrom('alert_states').where('rule_id', '=', id).execute();
        const details = { title: change.title, is_enabled: change.is_enabled === 1 };
        await audit.record({ ...source, action: 'alert.update', target: id, details }, transaction);
        return withSecret({ ...before, ...change }, made?.secret ?? null, transaction);
      }),

    /** Makes a new secret; the former one stops to be used at once. @throws `not_found`; `conflict` without a webhook */
    rotateSecret: (id: string, source: AccountSource): Promise<AlertWithSecret> =>
      db.transaction().execute(async (transaction) => {
        const row = await get(source.accountId, id, transaction);
        if (row.webhook_url === null) throw createError('conflict', 'This alert has no webhook. Set its URL first.');
        const { secret, sealed } = await sealSecret(id, transaction);
        await transaction.updateTable('alert_rules').set({ sealed_secret: sealed }).where('id', '=', id).execute();
        await audit.record({ ...source, action: 'alert.rotate_secret', target: id }, transaction);
        return withSecret({ ...row, sealed_secret: sealed }, secret, transaction);
      }),

    /** @throws `not_found` */
    remove: (id: string, source: AccountSource): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const { title } = await get(source.accountId, id, transaction);
        await transaction.deleteFrom('alert_rules').where('id', '=', id).execute();
        await audit.record({ ...source, action: 'alert.delete', target: id, details: { title } }, transaction);
      }),

    /** Sends a test over every channel of a rule. @throws `not_found`; `too_many_requests` after the last one */
    test: (account: AccountId, id: string): Promise<string> =>
      db.transaction().execute(async (transaction) => {
        const rule = await get(account, id, transaction);
        const nowMs = clock.nowMs();
        const tests = transaction.selectFrom('alert_events').select('id').where('rule_id', '=', id);
        const recent = await tests
          .where('kind', '=', 'test')
          .where('created_at', '>', nowMs - TEST_PAUSE_MS)
          .executeTakeFirst();
        if (recent) throw createError('too_many_requests', 'A test was sent a moment ago. Wait ten seconds.');
        const event = { kind: 'test', subject: rule.deployment ?? '', message: 'This is a test.', nowMs } as const;
        return recordAlertEvent(rule, event, record, transaction);
      }),

    /** The newest changes of state with their notifications. */
    async history(
      account: AccountId,
      { id, limit }: { readonly id?: string | undefined; readonly limit: number },
    ): Promise<AlertEvent[]> {
      let query = db.selectFrom('alert_events').selectAll().where('account_id', '=', account);
      if (id !== undefined) query = query.where('rule_id', '=', (await get(account, id, db)).id);
      const events = await query.orderBy('id', 'desc').limit(limit).execute();
      const deliveries = await db
        .selectFrom('alert_deliveries as delivery')
        .leftJoin('mail_outbox as mail', 'mail.id', 'delivery.mail_id')
        .selectAll('delivery')
        .select(['mail.state as mail_state', 'mail.attempts as mail_attempts', 'mail.last_error as mail_error'])
        .where('delivery.event_id', 'in', ['', ...events.map((event) => event.id)])
        .orderBy('delivery.id')
        .execute();
      return events.map((event) => ({
        ...{ id: event.id, alert_id: event.rule_id, title: event.title, kind: event.kind, message: event.message },
        deployment_name: event.subject === '' ? null : event.subject,
        time: new Date(event.created_at).toISOString(),
        deliveries: deliveries
          .filter(({ event_id }) => event_id === event.id)
          .map((one) => ({
            ...{ channel: one.channel, target: one.target },
            // A mail is forgotten a month after its end.
            state: one.channel === 'webhook' ? one.state : (one.mail_state ?? 'sent'),
            attempts: one.mail_attempts ?? one.attempts,
            last_error: one.mail_error ?? one.last_error,
          })),
      }));
    },
  };
}
