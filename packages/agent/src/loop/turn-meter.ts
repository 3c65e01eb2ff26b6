import type { Clock } from '@berth/kit';
import type { HandlerContext } from '../define/handler-context.ts';
import type { TokenUsage } from '../models/model.ts';
import { costUsd, type ModelPrice } from './price-book.ts';

/** Counts what a turn uses. */
export interface TurnMeter {
  /** One answer of the model; `isEstimated` when the upstream did not say what it used. */
  add(usage: TokenUsage, isEstimated?: boolean): void;
  /** Writes the turn's line to the log, once; nothing for a turn that asked no model. */
  end(): void;
}

/** Whom the line names when nobody signed in. */
const ANONYMOUS_USER = 'anonymous';

/**
 * Every answer is told to the turn as it comes, so that one that is cut off has paid for what it used; at the end one
 * line of the log has all of it. `berth cost --by user|model|chat` adds those up.
 */
export function createTurnMeter(
  context: HandlerContext,
  model: string,
  price: ModelPrice | undefined,
  clock: Clock,
): TurnMeter {
  const startMs = clock.monotonicMs();
  let answers = 0;
  let input = 0;
  let cachedInput = 0;
  let output = 0;
  let cost = 0;
  let isEstimate = false;
  return {
    add(usage, isEstimated = false) {
      answers++;
      isEstimate ||= isEstimated;
      input += usage.input;
      cachedInput += usage.cachedInput;
      output += usage.output;
      const ofAnswer = price ? costUsd(usage, price) : 0;
      cost += ofAnswer;
      context.reportUsage({
        model,
        inputTokens: usage.input,
        outputTokens: usage.output,
        cachedInputTokens: usage.cachedInput,
        costUsd: ofAnswer,
      });
    },
    end() {
      if (answers === 0) return;
      const { user, chatId, runId, log } = context;
      const line = {
        event: 'usage',
        user: user?.id ?? ANONYMOUS_USER,
        ...(user?.orgId !== undefined && { org: user.orgId }),
        model,
        chat_id: chatId,
        run_id: runId,
        steps: answers,
        input_tokens: input,
        cached_input_tokens: cachedInput,
        output_tokens: output,
        cost: cost.toFixed(6),
        currency: 'USD',
        priced: price !== undefined,
        ...(isEstimate && { estimated: true }),
        duration_ms: Math.round(clock.monotonicMs() - startMs),
      };
      log.info(line, `usage of a turn: ${input} tokens in, ${output} out`);
    },
  };
}
