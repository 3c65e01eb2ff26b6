import type { HandlerContext, Usage } from '@berth/agent-core';
import type { Clock } from '@berth/kit';

type UsageLineOptions = Pick<HandlerContext, 'user' | 'chatId' | 'runId' | 'log'> & { readonly clock: Clock };

/** The user in the line without sign-in. */
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
      const cached = sum('cachedInputTokens');
      const line = {
        event: 'usage',
        level: 'usage',
        user_id: user?.id ?? ANONYMOUS_USER,
        ...(user?.orgId !== undefined && { org_id: user.orgId }),
        chat_id: chatId,
        model: calls.find(({ model }) => model !== undefined)?.model ?? UNNAMED_MODEL,
        input: sum('inputTokens'),
        output: sum('outputTokens'),
        ...(cached > 0 && { cached }),
        cost: sum('costUsd').toFixed(6),
        currency: 'USD',
        run_id: runId,
        steps: calls.length,
        priced: calls.every(({ costUsd }) => costUsd !== undefined),
        ...(calls.some(({ isEstimated }) => isEstimated) && { estimated: true }),
        duration_ms: Math.round(clock.monotonicMs() - startMs),
      };
      // Without a message: the fields say it all. Source: docs/contract/agent-api.md §10.
      log.info(line, '');
    },
  };
}
