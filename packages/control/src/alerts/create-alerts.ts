import type { Sealer } from '@berth/database';
import { describeError, type Timer } from '@berth/kit';
import type { MailOutbox } from '@berth/mail';
import type { Entitlements } from '../billing/plans/entitlements.ts';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import { createWebhookAccess, type WebhookAccess } from '../outbound/webhook-access.ts';
import { createAlertRules } from './alert-rules.ts';
import { createWebhookDeliveries } from './deliver-webhooks.ts';
import { createAlertEvaluator } from './evaluate-alerts.ts';
import type { JudgeDeps } from './judge-alert.ts';
import { type ServiceCounts, STEP_MS } from './service-counts.ts';

/** How often webhooks are sent; rules are evaluated once a step. */
const TICK_MS = 1_000;
/** Events are kept this long. */
const KEPT_MS = 90 * 24 * 60 * 60_000;

/** Options of {@link createAlerts}. */
export interface CreateAlertsOptions extends Pick<ControlContext, 'db' | 'clock' | 'ids' | 'logger' | 'audit'> {
  readonly cluster?: Cluster;
  readonly leaseMs?: number;
  readonly counts: ServiceCounts;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  readonly sealer: Sealer;
  /** The certificates that are served; none by default. */
  readonly certificates?: JudgeDeps['certificates'];
  /** Undefined when the server sends no mail. */
  readonly outbox: Pick<MailOutbox, 'put'> | undefined;
  /** The address of the console. */
  readonly baseUrl: string;
  /** Private networks that webhooks may be in, such as `10.0.0.0/8`. */
  readonly webhookNetworks: readonly string[];
  /** Resolves the addresses of a host; the machine's resolver by default. */
  readonly resolve?: WebhookAccess['resolve'];
}

/** Alert rules: their API, their evaluation and their webhooks. */
export type Alerts = ReturnType<typeof createAlerts>;

export function createAlerts(options: CreateAlertsOptions) {
  const { db, clock, logger, counts, cluster = createSoleCluster(clock), webhookNetworks } = options;
  const { outbox, baseUrl, ids, resolve } = options;
  const access = createWebhookAccess(webhookNetworks, resolve);
  const record = { ids, outbox, baseUrl };
  const rules = createAlertRules({ ...options, record, checkUrl: access.checkUrl });
  const evaluator = createAlertEvaluator({ ...options, judge: { certificates: () => [], ...options }, record });
  const webhooks = createWebhookDeliveries({ ...options, access });
  const leases = createLeases({ ...options, cluster });
  let timer: Timer | undefined;
  let isClosed = false;
  let running: Promise<unknown> = Promise.resolve();
  let evaluatedMs = Number.NEGATIVE_INFINITY;

  /** Evaluates the rules, on one of the servers. Every server writes its own counts first. */
  const evaluate = async (): Promise<void> => {
    const rows = await db
      .selectFrom('alert_rules')
      .select('account_id')
      .distinct()
      .where('is_enabled', '=', 1)
      .execute();
    counts.watch(new Set(rows.map(({ account_id }) => account_id)));
    await counts.flush();
    if (rows.length === 0) return;
    await leases.run('alerts', async (lease) => {
      await evaluator.run(lease);
      await counts.prune();
      await db
        .deleteFrom('alert_events')
        .where('created_at', '<', clock.nowMs() - KEPT_MS)
        .execute();
    });
  };

  const pass = async (): Promise<void> => {
    if (clock.monotonicMs() - evaluatedMs >= STEP_MS) {
      evaluatedMs = clock.monotonicMs();
      await evaluate();
    }
    if (await webhooks.isDue()) await leases.run('alert webhooks', webhooks.run);
  };

  const tick = () => {
    if (isClosed) return;
    running = pass()
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'alerts failed; will retry'))
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(TICK_MS, tick);
      });
  };

  return {
    rules,
    /** Begins to evaluate and to send. */
    start: tick,
    /** Stops after the running pass or `boundMs`. Idempotent. */
    async close(boundMs: number): Promise<void> {
      isClosed = true;
      timer?.cancel();
      const bound = new AbortController();
      await Promise.race([running, clock.sleep(boundMs, bound.signal).catch(() => {})]);
      bound.abort();
    },
  };
}
