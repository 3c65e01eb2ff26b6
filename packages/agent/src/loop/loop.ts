import {
  type Component,
  callout,
  type HandlerContext,
  type Tool,
  type TurnResult,
  type Usage,
} from '@berth/agent-core';
import { createApprovals } from '../approvals/approvals.ts';
import type { ModelMessage, TokenUsage } from '../models/model.ts';
import { ModelError } from '../models/model-error.ts';
import { withRetry } from '../models/with-retry.ts';
import { askModel, type ModelAnswer } from './ask-model.ts';
import { buildHistory } from './build-history.ts';
import { type ContextWindow, createContextWindow, estimateText } from './context-window.ts';
import { loopDepsOf } from './loop-deps.ts';
import type { LoopHandler, LoopOptions } from './loop-options.ts';
import { offerTools } from './offer-tools.ts';
import { costUsd, findPrice, type ModelPrice, readPriceFile } from './price-book.ts';
import { runApproved } from './run-approved.ts';
import { runCalls } from './run-calls.ts';

const MAX_STEPS = 50;
const CONTEXT_TOKENS = 128_000;

/**
 * Returns the built-in handler: the model answers, its tool calls run, and it continues with their results until it calls no more
 * tools. `defineAgent({ model, … })` uses it; a handler of your own delegates to it: `yield* loop({ model, tools })(context)`,
 * with the context it received or a copy of it, for example with other `messages`.
 *
 * Invariants: (1) each call of an answer gets exactly one result before the next request to the model; (2) a call that needs
 * approval ends the turn, after the calls beside it; (3) usage is counted, also in a turn that fails.
 * @throws RangeError for two tools of one name, and for a price file that can't be read.
 */
export function loop(options: LoopOptions): LoopHandler {
  const { tools = [], maxSteps = MAX_STEPS, system, isToolAllowed } = options;
  checkNames(tools);
  const prices = typeof options.prices === 'string' ? readPriceFile(options.prices) : options.prices;
  const price = findPrice(prices, options.model.name);
  const contextTokens = options.contextTokens ?? price?.context ?? CONTEXT_TOKENS;
  /** Unavailable tools that were already logged. */
  const told = new Set<string>();

  return async function* answerTurn(context: HandlerContext): AsyncGenerator<string | Component, TurnResult> {
    const { signal, user, ownerKey, workspace, chatId, turn, log } = context;
    const deps = loopDepsOf(context);
    const { clock } = deps;
    const approvals = createApprovals(deps.approvals, clock);
    const report = (usage: TokenUsage, isEstimated?: boolean) =>
      context.reportUsage(toUsage(options.model.name, usage, price, isEstimated));
    const model = withRetry(options.model, {
      clock,
      onRetry: (error, waitMs) => log.warn({ error: error.message, waitMs }, 'the model is asked again'),
    });
    const connected = await deps.connectors?.open(context);
    yield* connected?.cards ?? [];
    if (connected?.refusal !== undefined) {
      yield callout(connected.refusal, 'warning');
      return {};
    }
    const services = deps.services(context);
    const [modes, definitions] = user
      ? await Promise.all([deps.settings.toolModes(ownerKey), deps.settings.toolDefinitions(ownerKey)])
      : [{}, {}];
    const { auto, disabledTools: disabled, approvals: keys } = turn;
    const decided = await offerTools({
      tools: connected ? [...tools, ...connected.tools] : tools,
      user,
      disabled,
      choices: { modes, definitions },
      auto,
      onUnavailable(tool, problem) {
        if (told.has(tool.name)) return;
        told.add(tool.name);
        log.warn({ tool: tool.name }, `${tool.name} is not offered: ${problem}`);
      },
      ...(isToolAllowed && { isToolAllowed }),
    });
    const offered = connected?.defer(decided) ?? decided;
    const prompt = typeof system === 'function' ? await system(context) : system;
    const history = await buildHistory(context.messages, services.files);
    const toolContext = { ...services, user, ownerKey, workspace, chatId, signal, log };
    const callOptions = { tools: offered, approvals, context: toolContext, clock };
    const approved = yield* runApproved(callOptions, keys);
    if (approved.questions.length > 0) {
      yield* approved.questions;
      return {};
    }
    const contextWindow = createContextWindow({
      // Approved calls come before the message to answer.
      messages: [...history.slice(0, -1), ...approved.messages, ...addNotes(history.slice(-1), connected?.notes)],
      model,
      contextTokens,
      overheadTokens: () => estimateText((prompt ?? '') + JSON.stringify(offered.list)),
      signal,
      onUsage: report,
    });
    const taken = new Set<string>();
    let isForced = false;
    for (let step = 0; step < maxSteps; ) {
      await contextWindow.fit(isForced);
      const { messages } = contextWindow;
      let answer: ModelAnswer;
      try {
        const request = { messages, tools: offered.list, signal, ...(prompt && { system: prompt }) };
        answer = yield* askModel(model, request, taken, (text) => report(contextWindow.estimate(text), true));
      } catch (error) {
        // The estimate was too low: compact and try once more.
        if (isForced || !(error instanceof ModelError) || error.fault !== 'context_full') throw error;
        isForced = true;
        continue;
      }
      step++;
      isForced = false;
      const { usage, isEstimated } = contextWindow.count(answer);
      report(usage, isEstimated);
      if (answer.calls.length === 0) {
        yield* sayEnd(answer);
        return resultOf(contextWindow);
      }
      const results = yield* runCalls(answer.calls, callOptions, approved.done);
      contextWindow.add({ role: 'assistant', content: answer.content }, ...results.messages);
      if (results.questions.length > 0) {
        yield* results.questions;
        return resultOf(contextWindow);
      }
    }
    yield callout(`Stopped after ${maxSteps} steps. Say how to go on.`, 'warning');
    return resultOf(contextWindow);
  };
}

function checkNames(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw new RangeError(`There are two tools of the name "${name}".`);
    names.add(name);
  }
}

function resultOf({ summary }: ContextWindow): TurnResult {
  return summary === undefined ? {} : { internal: [{ role: 'system', content: summary }] };
}

function* sayEnd({ reason, content }: ModelAnswer): Generator<Component> {
  const hasText = content.some((part) => part.type === 'text');
  if (reason === 'length') yield callout('The answer was cut off: it is as long as the model may write.', 'warning');
  else if (reason === 'refusal' && !hasText) yield callout('The model declined to answer this.', 'warning');
  else if (!hasText) yield callout('The model had nothing to say.', 'info');
}

/** Inserts notes before the text of the person's message. */
function addNotes(
  messages: readonly ModelMessage[],
  notes: readonly string[] | undefined = [],
): readonly ModelMessage[] {
  if (notes.length === 0) return messages;
  const told = notes.map((text) => ({ type: 'text' as const, text }));
  return messages.map((message) =>
    message.role === 'user' ? { ...message, content: [...told, ...message.content] } : message,
  );
}

/** Returns the usage of an answer; without a price it has no cost. */
function toUsage(
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
