import type { HandlerContext, Usage } from '@berth/agent-core';
import type { Clock } from '@berth/kit';

type UsageLineOptions = Pick<HandlerContext, 'user' | 'chatId' | 'runId' | 'log'> & { readonly clock: Clock };

/** The user in the line when nobody signed in. */
const ANONYMOUS_USER = 'anonymous';
/** The model in the line when the handler named none. */
const UNNAMED_MODEL = 'unknown';

/**
 * Creates the usage line of a turn; `berth cost --by user|model|chat` adds these lines up. A turn that was cut off has one too,
 * because each call is reported when it ends. `priced` is false when the cost of a call is unknown; `estimated` is set when its
 * tokens are estimates.
 */
export function createUsageLine({ user, chatId, runId, log, clock }: UsageLineOptions) {
  const startMs = clock.monotonicMs();
  const calls: Usage[] = [];
  const sum = (field: 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'costUsd') =>
    calls.reduce((total, usage) => total + (usage[field] ?? 0), 0);
  return {
    /** Adds a call of a model, as the handler reports it. */
    add: (usage: Usage) => void calls.push(usage),
    /** Writes the line, unless nothing was reported. */
    write(): void {
      if (calls.length === 0) return;
      const input = sum('inputTokens');
      const output = sum('outputTokens');
      const line = {
        event: 'usage',
        user: user?.id ?? ANONYMOUS_USER,
        ...(user?.orgId !== undefined && { org: user.orgId }),
        model: calls.find(({ model }) => model !== undefined)?.model ?? UNNAMED_MODEL,
        chat_id: chatId,
        run_id: runId,
        steps: calls.length,
        input_tokens: input,
        cached_input_tokens: sum('cachedInputTokens'),
        output_tokens: output,
        cost: sum('costUsd').toFixed(6),
        currency: 'USD',
        priced: calls.every(({ costUsd }) => costUsd !== undefined),
        ...(calls.some(({ isEstimated }) => isEstimated) && { estimated: true }),
        duration_ms: Math.round(clock.monotonicMs() - startMs),
      };
      log.info(line, `usage of a turn: ${input} tokens in, ${output} out`);
    },
  };
}
