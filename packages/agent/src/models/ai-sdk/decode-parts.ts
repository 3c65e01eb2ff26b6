import type { Clock } from '@berth/kit';
import { type EndReason, type ModelEvent, type ModelRequest, NO_USAGE, type TokenUsage } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { faultOfAnswer } from '../upstream/fault-of-answer.ts';
import { countOf, type Loose, objectOf, textOf } from '../upstream/read-json.ts';

const END_REASONS: ReadonlyMap<string, EndReason> = new Map([
  ['length', 'length'],
  ['content-filter', 'refusal'],
  ['tool-calls', 'tool_calls'],
]);

/**
 * Yields the parts of a stream as events. Skips unknown kinds, and calls that the provider runs itself. Source: `LanguageModelV4StreamPart` of @ai-sdk/provider 4.
 */
export async function* decodeParts(
  name: string,
  stream: ReadableStream<unknown>,
  { signal, onFirstByte, clock }: Pick<ModelRequest, 'signal' | 'onFirstByte'> & { readonly clock: Clock },
): AsyncGenerator<ModelEvent> {
  const begun = new Set<string>();
  let hasCalls = false;

  function* decode(part: Loose): Generator<ModelEvent> {
    const id = textOf(part['id']) || textOf(part['toolCallId']);
    switch (part['type']) {
      case 'text-delta':
        if (textOf(part['delta']) !== '') yield { type: 'text', text: textOf(part['delta']) };
        break;
      case 'reasoning-delta':
        if (textOf(part['delta']) !== '') yield { type: 'thinking', text: textOf(part['delta']) };
        break;
      case 'reasoning-end': {
        yield { type: 'thinking_end', ...proofOf(part) };
        break;
      }
      case 'tool-input-start':
        if (part['providerExecuted'] === true) break;
        begun.add(id);
        yield { type: 'tool_start', id, tool: textOf(part['toolName']) };
        break;
      case 'tool-input-delta':
        if (begun.has(id)) yield { type: 'tool_delta', id, delta: textOf(part['delta']) };
        break;
      case 'tool-call': {
        if (part['providerExecuted'] === true) break;
        const tool = textOf(part['toolName']);
        const args = textOf(part['input']);
        hasCalls = true;
        if (!begun.has(id)) {
          yield { type: 'tool_start', id, tool };
          yield { type: 'tool_delta', id, delta: args };
        }
        yield { type: 'tool_call', id, tool, args, ...proofOf(part) };
        break;
      }
      case 'finish': {
        const { finishReason } = part;
        const said = END_REASONS.get(textOf(finishReason) || textOf(objectOf(finishReason)['unified'])) ?? 'stop';
        yield {
          type: 'end',
          reason: hasCalls && said === 'stop' ? 'tool_calls' : said,
          usage: readUsage(part['usage']),
        };
        break;
      }
      case 'error':
        throw faultOfThrown(name, part['error'], clock);
    }
  }

  const reader = stream.getReader();
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.read();
      if (done) break;
      // The SDK itself adds this part, before the provider sent anything.
      if (objectOf(value)['type'] !== 'stream-start') onFirstByte?.();
      for (const event of decode(objectOf(value))) {
        isOver ||= event.type === 'end';
        yield event;
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof ModelError ? error : faultOfThrown(name, error, clock);
  } finally {
    // Not awaited: the reader that left doesn't need the outcome.
    reader.cancel().catch(() => {});
  }
  if (!isOver) throw new ModelError('cut', `${name} ended its response without a finish reason.`);
}

/** Returns a part's provider metadata, which the provider expects back with it. */
function proofOf({ providerMetadata }: Loose): { readonly proof?: unknown } {
  return providerMetadata ? { proof: { metadata: providerMetadata } } : {};
}

/** Converts a provider's error, with or without a status, to a ModelError. */
export function faultOfThrown(name: string, error: unknown, clock: Clock): ModelError {
  const { statusCode, responseBody, responseHeaders, message, isRetryable } = objectOf(error);
  if (typeof statusCode === 'number') {
    const headers = objectOf(responseHeaders) as Record<string, string>;
    const text = textOf(responseBody) || textOf(message);
    return faultOfAnswer({ name, status: statusCode, headers, text, nowMs: clock.nowMs() });
  }
  const fault = isRetryable === false ? 'refused' : 'unreachable';
  return new ModelError(fault, `${name} failed: ${textOf(message) || String(error)}`, { cause: error });
}

function readUsage(value: unknown): TokenUsage {
  const { inputTokens, outputTokens, cachedInputTokens } = objectOf(value);
  // Version 2 of the interface has plain numbers.
  if (typeof inputTokens === 'number' || typeof outputTokens === 'number') {
    const cachedInput = countOf(cachedInputTokens);
    return { ...NO_USAGE, input: countOf(inputTokens), cachedInput, output: countOf(outputTokens) };
  }
  const input = objectOf(inputTokens);
  return {
    input: countOf(input['total']),
    cachedInput: countOf(input['cacheRead']),
    cacheWrite: countOf(input['cacheWrite']),
    output: countOf(objectOf(outputTokens)['total']),
  };
}
