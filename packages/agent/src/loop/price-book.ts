import { readFileSync } from 'node:fs';
import type { Usage } from '@berth/agent-core';
import { z } from 'zod';
import type { TokenUsage } from '../models/model.ts';

const price = z.number().nonnegative();

/** US dollars per million tokens. Reads from and writes to the upstream's cache cost as much as input unless stated. */
const modelPriceSchema = z.strictObject({
  input: price,
  output: price,
  cached_input: price.optional(),
  cache_write: price.optional(),
  /** Context window in tokens. */
  context: z.int().positive().optional(),
});

const priceBookSchema = z.strictObject({ models: z.record(z.string(), modelPriceSchema) });

/** Prices by model name: `{"models":{"gpt-x":{"input":1.25,"output":10}}}`. */
export type PriceBook = z.infer<typeof priceBookSchema>;
export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** Reads a price file. @throws RangeError naming the file and what is wrong in it. */
export function readPriceFile(path: string): PriceBook {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new RangeError(`The price file ${path} cannot be read: ${(error as Error).message}`);
  }
  const parsed = priceBookSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RangeError(`The price file ${path} is invalid:\n${z.prettifyError(parsed.error)}`);
}

/** Returns the price of a model: the entry with the longest name that the model's name starts with (`gpt-x` for `gpt-x-2026-01-01`). */
export function findPrice(book: PriceBook | undefined, model: string): ModelPrice | undefined {
  if (book === undefined) return undefined;
  const name = Object.keys(book.models)
    .filter((one) => model === one || model.startsWith(`${one}-`) || model.startsWith(`${one}:`))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : book.models[name];
}

/** Returns the cost in US dollars. A dollar per million tokens is a micro-dollar per token. */
export function costUsd(usage: TokenUsage, { input, output, cached_input, cache_write }: ModelPrice): number {
  const plain = usage.input - usage.cachedInput - usage.cacheWrite;
  const micros =
    plain * input +
    usage.cachedInput * (cached_input ?? input) +
    usage.cacheWrite * (cache_write ?? input) +
    usage.output * output;
  return micros / 1_000_000;
}

/** Returns the usage of an answer; without a price it has no cost. */
export function usageOf(
  model: string,
  usage: TokenUsage,
  prices: PriceBook | undefined,
  isEstimated: boolean | undefined,
): Usage {
  const price = findPrice(prices, model);
  return {
    model,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cachedInputTokens: usage.cachedInput,
    ...(price && { costUsd: costUsd(usage, price) }),
    ...(isEstimated && { isEstimated }),
  };
}
