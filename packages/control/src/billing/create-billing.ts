import type { Database } from '@berth/database';
import type { GatewayEvents } from '@berth/gateway';
import type { AccountId, Clock, Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Api } from '../http/api.ts';
import { meterGateway } from '../metering/meter-gateway.ts';
import type { PriceBook } from '../metering/price-book.ts';
import { createUsageMeter, type UsageMeter } from '../metering/usage-meter.ts';
import { createUsageStore } from '../metering/usage-store.ts';
import { createEntitlements, type Entitlements } from './entitlements.ts';
import type { Plans } from './plans.ts';
import { registerGetSubscription } from './routes/get-subscription.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Metering, prices, plans. */
export interface Billing {
  readonly entitlements: Entitlements;
  readonly meter: UsageMeter;
  /** Hears of requests and instances. */
  readonly gatewayListener: Pick<GatewayEvents, 'onRequest' | 'onInstance'>;
  /** Meters a build that runs. */
  onBuildSeconds(account: AccountId, deployment: string, seconds: number): void;
  registerRoutes(api: Api): void;
  /** Writes what is not written yet. Idempotent. */
  close(): Promise<void>;
}

export interface CreateBillingOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly plans: Plans;
  readonly prices: PriceBook;
}

export function createBilling({ db, clock, logger, plans, prices }: CreateBillingOptions): Billing {
  const meter = createUsageMeter({ store: createUsageStore(db), clock, logger, prices });
  const entitlements = createEntitlements(plans);
  const subscriptions = createSubscriptions({ db, clock, meter, entitlements, currency: prices.currency });
  return {
    meter,
    entitlements,
    gatewayListener: meterGateway(meter),
    onBuildSeconds: (account, deployment, seconds) =>
      meter.record({ account, resource: deployment, sku: 'build', amount: seconds }),
    registerRoutes: (api) => registerGetSubscription(api, { subscriptions }),
    close: () => meter.close(),
  };
}
