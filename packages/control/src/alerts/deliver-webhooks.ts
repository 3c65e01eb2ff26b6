import { alertSecretContext, type Sealer } from '@berth/database';
import { backoffMs, forEachConcurrently } from '@berth/kit';
import { guardedFetch } from '@berth/outbound';
import type { HeldLease } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import type { WebhookAccess } from '../outbound/webhook-access.ts';
import { signWebhook } from './sign-webhook.ts';

/** Attempts before a request is given up: about six hours with {@link BACKOFF}. */
const MAX_ATTEMPTS = 13;
const BACKOFF = { baseMs: 10_000, maxMs: 3_600_000 } as const;
const BATCH = 50;
const CONCURRENCY = 8;
/** As Standard Webhooks recommends: 15 to 30 s. */
const TIMEOUT_MS = 15_000;

/** Options of {@link createWebhookDeliveries}. */
export interface WebhookDeliveriesOptions extends Pick<ControlContext, 'db' | 'clock'> {
  readonly sealer: Sealer;
  readonly access: WebhookAccess;
}

/** Sends requests of webhooks: at least once, with the id of the event. */
export function createWebhookDeliveries({ db, clock, sealer, access }: WebhookDeliveriesOptions) {
  const findDue = (limit: number) =>
    db
      .selectFrom('alert_deliveries')
      .select('id')
      .where('channel', '=', 'webhook')
      .where('state', '=', 'queued')
      .where('next_attempt_at', '<=', clock.nowMs())
      .orderBy('next_attempt_at')
      .limit(limit)
      .execute();

  /** Records an attempt and returns its request; undefined when there is nothing to send. */
  const begin = (id: string, lease: Pick<HeldLease, 'require'>) =>
    db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const row = await transaction
        .selectFrom('alert_deliveries as delivery')
        .innerJoin('alert_events as event', 'event.id', 'delivery.event_id')
        .leftJoin('alert_rules as rule', 'rule.id', 'event.rule_id')
        .select(['delivery.attempts', 'delivery.target', 'rule.sealed_secret', 'rule.webhook_url'])
        .select([
          'event.id',
          'event.rule_id',
          'event.title',
          'event.kind',
          'event.subject',
          'event.message',
          'event.created_at',
        ])
        .where('delivery.id', '=', id)
        .where('delivery.state', '=', 'queued')
        .executeTakeFirst();
      if (!row) return undefined;
      // A rule that was removed, or has another URL, sends nothing more to this one.
      if (row.sealed_secret === null || row.webhook_url !== row.target) {
        const reason = 'The alert no longer has this webhook.';
        await transaction
          .updateTable('alert_deliveries')
          .set({ state: 'dead', last_error: reason })
          .where('id', '=', id)
          .execute();
        return undefined;
      }
      const nowMs = clock.nowMs();
      const attempts = row.attempts + 1;
      const next_attempt_at = nowMs + backoffMs(row.attempts, BACKOFF);
      await transaction
        .updateTable('alert_deliveries')
        .set({ attempts, next_attempt_at })
        .where('id', '=', id)
        .execute();
      const body = JSON.stringify({
        type: `alert.${row.kind}`,
        timestamp: new Date(row.created_at).toISOString(),
        data: {
          ...{ id: row.id, alert_id: row.rule_id, title: row.title, message: row.message },
          deployment_name: row.subject === '' ? null : row.subject,
        },
      });
      const secret = sealer.open(row.sealed_secret, alertSecretContext(row.rule_id));
      return { attempts, url: row.target, body, headers: signWebhook({ id: row.id, body, nowMs }, secret) };
    });

  /** Returns why a request failed; undefined when the receiver answered with 2xx. */
  const send = async ({ url, body, headers }: { url: string; body: string; headers: Record<string, string> }) => {
    try {
      const { status } = await guardedFetch({
        ...{ url, method: 'POST', protocols: ['https:', 'http:'], timeoutMs: TIMEOUT_MS, maxBytes: 1_024 },
        headers: { 'content-type': 'application/json', 'user-agent': 'Berth-Alerts/1.0', ...headers },
        body: Buffer.from(body),
        resolve: access.resolve,
        isAllowed: access.isAllowed,
      });
      // The content of the answer is not kept: it may come from a place that the account can't read otherwise.
      return status >= 200 && status < 300 ? undefined : `The receiver answered ${status}.`;
    } catch (error) {
      return error instanceof Error ? error.message.slice(0, 300) : String(error);
    }
  };

  const attempt = async (id: string, lease: HeldLease): Promise<void> => {
    const request = await begin(id, lease);
    if (!request) return;
    const problem = await send(request);
    const state = problem === undefined ? 'sent' : request.attempts >= MAX_ATTEMPTS ? 'dead' : 'queued';
    await db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const row = transaction.updateTable('alert_deliveries').set({ state, last_error: problem ?? null });
      await row.where('id', '=', id).where('state', '=', 'queued').execute();
    });
  };

  return {
    /** Returns whether a request is due. */
    isDue: async (): Promise<boolean> => (await findDue(1)).length > 0,
    /** Makes one attempt at each request that is due. */
    async run(lease: HeldLease): Promise<void> {
      const due = await findDue(BATCH);
      await forEachConcurrently(due, { concurrency: CONCURRENCY }, async ({ id }) => {
        if (!lease.signal.aborted) await attempt(id, lease);
      });
    },
  };
}
