import type { Usage } from '@berth/agent-core';
import type { TokenUsage } from '../models/model.ts';
import { costUsd, type ModelPrice } from './price-book.ts';

/** Returns the usage of an answer; without a price it has no cost. */
export function toUsage(
  model: string,
  usage: TokenUsage,
  price: ModelPrice | undefined,
  isEstimated: boolean | undefined,
): Usage {
  return {
    model,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cachedInputTokens: usage.cachedInput,
    ...(price && { costUsd: costUsd(usage, price) }),
    ...(isEstimated && { isEstimated }),
  };
}
