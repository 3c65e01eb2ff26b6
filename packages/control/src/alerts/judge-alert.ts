import type { AlertCondition } from '@berth/contract';
import type { AlertRulesTable, Database } from '@berth/database';
import type { AccountId, Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../billing/plans/entitlements.ts';
import type { ServiceCounts } from './service-counts.ts';

/** A subject for which a condition holds, and why. */
export interface Finding {
  /** Name of a deployment; empty for the account. */
  readonly subject: string;
  readonly message: string;
}

/** The dependencies of {@link judgeAlert}. */
export interface JudgeDeps {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly counts: Pick<ServiceCounts, 'read'>;
  readonly entitlements: Pick<Entitlements, 'planOf'>;
  /** The certificates that are served. */
  certificates(): readonly ServedCertificate[];
}

/** A certificate. Names may begin with `*.`. */
export interface ServedCertificate {
  readonly names: readonly string[];
  /** Epoch milliseconds. */
  readonly notAfterMs: number;
}

type Judge<Type extends AlertCondition['type']> = (
  condition: Extract<AlertCondition, { type: Type }>,
  rule: AlertRulesTable,
  deps: JudgeDeps,
) => Promise<readonly Finding[]>;

const JUDGES: { readonly [Type in AlertCondition['type']]: Judge<Type> } = {
  crash_loop: async ({ crashes, window_seconds: seconds }, rule, deps) =>
    (await countsOf(rule, seconds, deps)).flatMap(([subject, counts]) =>
      counts.crashes < crashes
        ? []
        : [{ subject, message: `${subject} crashed or failed to start ${counts.crashes} times in ${span(seconds)}.` }],
    ),

  error_rate: async ({ percent, min_requests: least, window_seconds: seconds }, rule, deps) =>
    (await countsOf(rule, seconds, deps)).flatMap(([subject, { requests, errors }]) => {
      const share = (100 * errors) / Math.max(1, requests);
      if (requests < least || share <= percent) return [];
      const message = `${errors} of ${requests} requests to ${subject} failed in ${span(seconds)}: ${share.toFixed(1)} %.`;
      return [{ subject, message }];
    }),

  latency_p95: async ({ milliseconds, min_requests: least, window_seconds: seconds }, rule, deps) =>
    (await countsOf(rule, seconds, deps)).flatMap(([subject, { requests, p95Ms }]) =>
      requests < least || p95Ms === null || p95Ms <= milliseconds
        ? []
        : [{ subject, message: `The 95th percentile of latency of ${subject} is ${p95Ms} ms over ${span(seconds)}.` }],
    ),

  async deploy_failed(_condition, rule, { db }) {
    let newest = db
      .selectFrom('deploys')
      .select((eb) => ['deployment', eb.fn.max<number>('number').as('number')])
      .where('account_id', '=', rule.account_id)
      .where('step', 'in', ['done', 'failed'])
      .where('ended_at', '>=', rule.created_at)
      .groupBy('deployment');
    if (rule.deployment !== null) newest = newest.where('deployment', '=', rule.deployment);
    const failed = await db
      .selectFrom('deploys')
      .innerJoin(newest.as('newest'), (join) =>
        join.onRef('newest.deployment', '=', 'deploys.deployment').onRef('newest.number', '=', 'deploys.number'),
      )
      .select(['deploys.deployment', 'deploys.code'])
      .where('deploys.account_id', '=', rule.account_id)
      .where('deploys.step', '=', 'failed')
      .execute();
    return failed.map(({ deployment: subject, code }) => ({
      subject,
      message: `The newest deploy of ${subject} failed: ${code ?? 'unknown'}.`,
    }));
  },

  async budget({ amount }, rule, { db, clock }) {
    const month = new Date(clock.nowMs()).toISOString().slice(0, 7);
    let query = db
      .selectFrom('usage')
      .select((eb) => ['currency', eb.fn.sum<number>('cost').as('cost')])
      .where('account_id', '=', rule.account_id)
      .where('day', '>=', `${month}-01`);
    if (rule.deployment !== null) query = query.where('resource', '=', rule.deployment);
    const rows = await query.groupBy('currency').execute();
    const over = rows.filter(({ cost }) => Number(cost) >= amount);
    const what = rule.deployment ?? 'the account';
    return over.slice(0, 1).map(({ cost, currency }) => ({
      subject: rule.deployment ?? '',
      message: `Usage of ${what} costs ${Number(cost).toFixed(2)} ${currency} in ${month}; the budget is ${amount}.`,
    }));
  },

  async storage({ percent }, rule, { db, entitlements }) {
    const { limits } = await entitlements.planOf(db, rule.account_id as AccountId);
    const { bytes } = await db
      .selectFrom('volumes')
      .select((eb) => eb.fn.sum<number>('size_bytes').as('bytes'))
      .where('account_id', '=', rule.account_id)
      .executeTakeFirstOrThrow();
    const share = (100 * Number(bytes ?? 0)) / limits.storage_bytes;
    return share < percent
      ? []
      : [{ subject: '', message: `Volumes use ${share.toFixed(1)} % of the plan’s storage.` }];
  },

  async certificate_expiring({ days }, rule, { db, clock, certificates }) {
    let query = db
      .selectFrom('domains')
      .select(['domain', 'deployment'])
      .where('account_id', '=', rule.account_id)
      .where('status', '=', 'active');
    if (rule.deployment !== null) query = query.where('deployment', '=', rule.deployment);
    const soonest = new Map<string, Finding & { readonly leftMs: number }>();
    for (const { domain, deployment: subject } of await query.execute()) {
      const served = certificates().filter(({ names }) => names.some((name) => isFor(name, domain)));
      // While a renewed one and its predecessor are there, the newest is served. Without any, the domain has no TLS here.
      const leftMs = Math.max(...served.map(({ notAfterMs }) => notAfterMs)) - clock.nowMs();
      if (served.length === 0 || leftMs >= days * DAY_MS || leftMs >= (soonest.get(subject)?.leftMs ?? Infinity))
        continue;
      const message =
        leftMs <= 0
          ? `The certificate of ${domain} has expired.`
          : `The certificate of ${domain} expires in ${Math.ceil(leftMs / DAY_MS)} days.`;
      soonest.set(subject, { subject, message, leftMs });
    }
    return [...soonest.values()].map(({ subject, message }) => ({ subject, message }));
  },
};

/** Returns the subjects for which the condition of a rule holds now. */
export function judgeAlert(rule: AlertRulesTable, deps: JudgeDeps): Promise<readonly Finding[]> {
  const condition = JSON.parse(rule.condition) as AlertCondition;
  const judge = JUDGES[condition.type] as Judge<AlertCondition['type']>;
  return judge(condition, rule, deps);
}

async function countsOf({ account_id, deployment }: AlertRulesTable, seconds: number, { counts }: JudgeDeps) {
  const all = await counts.read(account_id, seconds * 1_000);
  return [...all].filter(([name]) => deployment === null || name === deployment);
}

const DAY_MS = 24 * 60 * 60_000;

/** Returns whether a name of a certificate is for a domain: `*.` stands for one label (RFC 9525, 6.3). */
function isFor(name: string, domain: string): boolean {
  return name === domain || (name.startsWith('*.') && domain.slice(domain.indexOf('.')) === name.slice(1));
}

function span(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
