import { z } from 'zod';
import { SKUS, type SkuId } from './skus.ts';

/** The price of each SKU. */
export interface PriceBook {
  /** ISO 4217. */
  readonly currency: string;
  /** Price of one unit of the SKU, in `currency`. */
  readonly prices: Readonly<Record<SkuId, number>>;
}

const GIB = 2 ** 30;

/**
 * Prices in the order of magnitude of the large clouds, so that owners see what a service would cost there.
 * Source: list prices of request-billed container services, tier-1 regions, 2025.
 */
export const DEFAULT_PRICE_BOOK: PriceBook = {
  currency: 'USD',
  prices: {
    cpu: 0.000024,
    memory: 0.0000025,
    requests: 0.4 / 1_000_000,
    egress: 0.12 / GIB,
    build: 0.00005,
    storage: 0.026,
  },
};

const price = z.number().finite().nonnegative();

/** A price is a number of the currency for one unit, or for `per` units. */
const priceSchema = z.union([
  price,
  z.strictObject({ price, per: z.number().finite().positive() }).transform((value) => value.price / value.per),
]);

const priceBookSchema = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD'),
  prices: z.strictObject(
    Object.fromEntries(Object.keys(SKUS).map((id) => [id, priceSchema.default(0)])) as Record<
      SkuId,
      z.ZodDefault<typeof priceSchema>
    >,
  ),
});

/**
 * Reads a price book: `{"currency": "EUR", "prices": {"cpu": 0.00002, "requests": {"price": 0.3, "per": 1000000}}}`.
 * A SKU that is not named is free.
 * @throws Error with a sentence for each fault.
 */
export function parsePriceBook(text: string): PriceBook {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`the price book is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const result = priceBookSchema.safeParse(json);
  if (result.success) return result.data;
  throw new Error(
    result.error.issues.map((issue) => `${issue.path.join('.') || 'price book'}: ${issue.message}`).join('; '),
  );
}
