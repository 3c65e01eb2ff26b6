import { type Handler, type HandlerContext, type HandlerItem, openSpan, type Usage } from '@berth/agent-core';

/** How an agent's turns appear in traces. */
export interface TurnTracing {
  readonly agentName: string;
  readonly description?: string | undefined;
  readonly isContentCaptured: boolean;
}

/**
 * Returns the handler with a span `invoke_agent NAME` around each turn, below the trace of the request that started it. Lines that the
 * turn logs carry its `trace_id`.
 */
export function traceTurns(handler: Handler, { agentName, description, isContentCaptured }: TurnTracing): Handler {
  return (context) => {
    const span = openSpan(`invoke_agent ${agentName}`, {
      isContentCaptured,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agentName,
        'gen_ai.agent.description': description,
        'gen_ai.conversation.id': context.chatId,
        'berth.run.id': context.runId,
      },
    });
    if (!span) return handler(context);
    const totals = { input: 0, output: 0, costUsd: 0 };
    const traced: HandlerContext = {
      ...context,
      log: context.log.child({ trace_id: span.traceId }),
      reportUsage(usage: Usage) {
        totals.input += usage.inputTokens ?? 0;
        totals.output += usage.outputTokens ?? 0;
        totals.costUsd += usage.costUsd ?? 0;
        span.set({
          'gen_ai.usage.input_tokens': totals.input,
          'gen_ai.usage.output_tokens': totals.output,
          ...(usage.costUsd !== undefined && { 'berth.cost_usd': totals.costUsd }),
        });
        context.reportUsage(usage);
      },
    };
    async function* items(): AsyncGenerator<HandlerItem, unknown> {
      try {
        // A handler in JavaScript may return a promise or a single item.
        const given: unknown = await handler(traced);
        if (isIterable(given)) return yield* given;
        yield given as HandlerItem;
        return undefined;
      } catch (error) {
        // A turn that was stopped has not failed.
        if (!context.signal.aborted) throw error;
        span?.set({ 'berth.run.aborted': true });
        return undefined;
      }
    }
    return span.over(items());
  };
}

function isIterable(given: unknown): given is ReturnType<Handler> {
  return typeof given === 'object' && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given);
}
