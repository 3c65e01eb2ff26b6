import type { Api, AuditLog } from '@berth/accounts';
import type { GatewayEvents } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { SetUpStatement, SqlRunner } from '@berth/logstore';
import { type Cluster, createSoleCluster } from '../cluster/cluster.ts';
import { createLeases } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';
import type { PriceBook } from '../metering/price-book.ts';
import { createStorageMeter } from '../metering/storage-meter.ts';
import { createUsageMeter, type UsageMeter } from '../metering/usage-meter.ts';
import { createUsageStore } from '../metering/usage-store.ts';
import { applyPayment } from './payments/payment-events.ts';
import { createPaymentPages } from './payments/payment-pages.ts';
import type { Payments } from './payments/payments.ts';
import { createEntitlements, type Entitlements } from './plans/entitlements.ts';
import type { Plans } from './plans/plans.ts';
import { registerGetSubscription } from './routes/get-subscription.ts';
import { registerListPlans } from './routes/list-plans.ts';
import { registerOpenCheckout } from './routes/open-checkout.ts';
import { registerReceivePaymentEvent } from './routes/receive-payment-event.ts';
import { registerReconcileUsage } from './routes/reconcile-usage.ts';
import { registerSetPlan } from './routes/set-plan.ts';
import { billingRelation } from './usage/billing-relation.ts';
import { createSubscriptions } from './usage/subscriptions.ts';

/** Metering, prices, plans. */
export interface Billing {
  readonly entitlements: Entitlements;
  readonly meter: UsageMeter;
  /** Returns the statement that creates an account's relation `billing` for SQL, with everything recorded so far. */
  relationOf(account: AccountId): Promise<SetUpStatement>;
  /** Meters requests and instances. */
  readonly gatewayListener: Pick<GatewayEvents, 'onRequest' | 'onInstance'>;
  /** Meters a running build. */
  onBuildSeconds(account: AccountId, deployment: string, seconds: number): void;
  /** Starts metering storage. */
  start(): void;
  registerRoutes(api: Api, deps: BillingRoutesDeps): void;
  /** Writes the rest. Idempotent. */
  close(): Promise<void>;
}

/** Further dependencies of the routes. */
export interface BillingRoutesDeps {
  readonly audit: Pick<AuditLog, 'record'>;
  /** The address that the payment provider's pages return to. */
  readonly returnUrl: string;
  readonly sql: Pick<SqlRunner, 'run'>;
}

export interface CreateBillingOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  /** The servers that share the database; only this one by default. */
  readonly cluster?: Cluster;
  readonly plans: Plans;
  readonly prices: PriceBook;
  /** Absent: the platform takes no payments. */
  readonly payments?: Payments | undefined;
}

export function createBilling(options: CreateBillingOptions): Billing {
  const { db, clock, logger, plans, prices, payments, cluster = createSoleCluster(clock) } = options;
  const store = createUsageStore(db);
  const meter = createUsageMeter({ store, clock, logger, prices });
  const storage = createStorageMeter({
    db,
    clock,
    logger,
    meter,
    leases: createLeases({ db, cluster, clock, logger }),
  });
  const entitlements = createEntitlements(plans);
  const subscriptions = createSubscriptions({ db, clock, meter, entitlements, currency: prices.currency });
  return {
    meter,
    entitlements,
    async relationOf(account) {
      await meter.flush();
      return billingRelation(store, account);
    },
    gatewayListener: meterGateway(meter),
    onBuildSeconds: (account, deployment, seconds) =>
      meter.record({ account, resource: deployment, sku: 'build', amount: seconds }),
    registerRoutes(api, { audit, returnUrl, sql }) {
      registerReconcileUsage(api, { db, usage: store, sql, clock, flush: meter.flush });
      registerGetSubscription(api, { subscriptions });
      registerListPlans(api, { db, plans, entitlements, hasPayments: payments !== undefined });
      registerSetPlan(api, { db, audit, plans });
      registerOpenCheckout(api, { pages: payments && createPaymentPages({ db, payments, plans, returnUrl }) });
      registerReceivePaymentEvent(api, { payments, onPayment: (paid) => applyPayment(db, audit, plans, paid) });
    },
    start: () => storage.start(),
    async close() {
      await storage.close();
      await meter.close();
    },
  };
}

/** Meters the gateway's events: running time of instances, requests, and bytes of responses. */
export function meterGateway({ record }: Pick<UsageMeter, 'record'>): Pick<GatewayEvents, 'onRequest' | 'onInstance'> {
  return {
    onRequest({ account, deployment, responseSize }) {
      const use = { account: account as AccountId, resource: deployment };
      record({ ...use, sku: 'requests', amount: 1 });
      record({ ...use, sku: 'egress', amount: responseSize });
    },
    onInstance(event) {
      if (event.kind !== 'billed') return;
      const use = { account: event.account as AccountId, resource: event.deployment };
      const seconds = event.billableMs / 1_000;
      record({ ...use, sku: 'cpu', amount: (seconds * event.cpuMillis) / 1_000 });
      record({ ...use, sku: 'memory', amount: (seconds * event.memoryBytes) / 2 ** 30 });
    },
  };
}
