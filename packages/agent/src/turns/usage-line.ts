import type { HandlerContext, Usage } from '@berth/agent-core';
import type { Clock } from '@berth/kit';

/** What a turn used, as one line of the log. */
export interface UsageLine {
  /** A call of a model, as the handler reports it. */
  add(usage: Usage): void;
  /** Writes it; nothing for a turn that reported nothing. */
  write(): void;
}

export interface UsageLineOptions extends Pick<HandlerContext, 'user' | 'chatId' | 'runId' | 'log'> {
  readonly clock: Clock;
}

/** Whom the line names when nobody signed in. */
const ANONYMOUS_USER = 'anonymous';
/** And which model, when the handler did not say. */
const UNNAMED_MODEL = 'unknown';

/**
 * `berth cost --by user|model|chat` adds these lines up. A turn that was cut off has one too: every call is reported as it
 * ends. `priced` is false when the cost of a call is not known, `estimated` is there when its tokens are not.
 */
export function createUsageLine({ user, chatId, runId, log, clock }: UsageLineOptions): UsageLine {
  const startMs = clock.monotonicMs();
  const calls: Usage[] = [];
  const sum = (field: 'inputTokens' | 'cachedInputTokens' | 'outputTokens' | 'costUsd') =>
    calls.reduce((total, usage) => total + (usage[field] ?? 0), 0);
  return {
    add: (usage) => void calls.push(usage),
    write() {
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
