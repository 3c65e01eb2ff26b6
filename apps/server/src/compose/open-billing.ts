import { readFileSync } from 'node:fs';
import { createError } from '@berth/contract';
import {
  type Billing,
  type Cluster,
  createBilling,
  createStripePayments,
  DEFAULT_PRICE_BOOK,
  parsePlans,
  parsePriceBook,
  selfHostedPlans,
} from '@berth/control';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import type { PartOptions } from '../context/part-options.ts';

/**
 * Opens metering and plans from the operator's files, or with a default plan and price book.
 * @throws BerthError `invalid` when a file can't be read or is faulty
 */
export async function openBilling(
  { config, clock, logger }: PartOptions,
  { db, cluster }: { readonly db: Kysely<Database>; readonly cluster: Cluster },
): Promise<Billing> {
  const { priceBook, plans, logRetentionDays, stripeKey: apiKey, stripeWebhookSecret: webhookSecret } = config;
  if ((apiKey === undefined) !== (webhookSecret === undefined)) {
    throw createError('invalid', 'BERTH_STRIPE_KEY and BERTH_STRIPE_WEBHOOK_SECRET must be set together.');
  }
  return createBilling({
    db,
    cluster,
    clock,
    logger,
    ...(apiKey && webhookSecret ? { payments: await createStripePayments({ apiKey, webhookSecret }) } : {}),
    prices: priceBook === undefined ? DEFAULT_PRICE_BOOK : readSetting('BERTH_PRICE_BOOK', priceBook, parsePriceBook),
    plans:
      plans === undefined
        ? selfHostedPlans(logRetentionDays)
        : readSetting('BERTH_PLANS', plans, (text) => parsePlans(text, logRetentionDays)),
  });
}

/**
 * Reads a setting that names a file.
 * @throws BerthError `invalid` that names the setting when the file can't be read or `parse` throws
 */
export function readSetting<Value>(setting: string, file: string, parse: (text: string) => Value): Value {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw createError('invalid', `${setting} (${file}): ${reason}`, { cause });
  }
}
