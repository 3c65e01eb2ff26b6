import type { Clock } from '@berth/kit';
import type { Model } from '../model.ts';
import { createUpstream } from '../upstream/upstream.ts';
import { decodeMessageEvents } from './decode-message-events.ts';
import { encodeConversation, encodeToolChoice, encodeTools } from './encode-conversation.ts';

export interface AnthropicOptions {
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** `https://api.anthropic.com` by default. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Most tokens of one answer, including thinking; 16,000 by default. */
  readonly maxOutputTokens?: number;
  /** Budget of tokens for thinking, at least 1,024. Without it the model does not think. */
  readonly thinkingTokens?: number;
  /**
   * How long the upstream keeps what it read: 5 minutes by default, `1h` at a higher price for writing, false for no cache. Reading
   * from the cache costs a tenth.
   */
  readonly cache?: '5m' | '1h' | false;
  /** Added to the request unchanged. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Silence after which the request fails; 5 minutes by default. */
  readonly silenceMs?: number;
  readonly clock?: Clock;
}

const MAX_OUTPUT_TOKENS = 16_000;
/** Source: Anthropic API reference, "Versions". */
const VERSION = '2023-06-01';

/** Creates a model of Anthropic's Messages API, with thinking, tools, pictures and PDFs. Source: Anthropic API reference, "Messages". */
export function anthropic(options: AnthropicOptions): Model {
  const { model, apiKey, baseUrl = 'https://api.anthropic.com', headers, thinkingTokens, cache, extra } = options;
  const maxTokens = options.maxOutputTokens ?? Math.max(MAX_OUTPUT_TOKENS, (thinkingTokens ?? 0) * 2);
  if (thinkingTokens !== undefined && (thinkingTokens < 1_024 || thinkingTokens >= maxTokens)) {
    throw new RangeError(`thinkingTokens must be at least 1024 and less than maxOutputTokens (${maxTokens}).`);
  }
  const base = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const name = `${model} at ${new URL(base).host}`;
  const upstream = createUpstream({
    name,
    url: `${base}/v1/messages`,
    headers: { ...(apiKey && { 'x-api-key': apiKey }), 'anthropic-version': VERSION, ...headers },
    secret: apiKey,
    silenceMs: options.silenceMs,
    clock: options.clock,
  });
  return {
    name: model,
    provider: 'anthropic',
    server: new URL(base),
    stream({ system, messages, tools, toolChoice, signal, onFirstByte }) {
      const body = {
        model,
        max_tokens: maxTokens,
        stream: true,
        ...encodeConversation(system, messages, cache),
        ...encodeTools(tools, messages),
        ...(tools.length > 0 && encodeToolChoice(toolChoice, thinkingTokens !== undefined)),
        ...(thinkingTokens !== undefined && { thinking: { type: 'enabled', budget_tokens: thinkingTokens } }),
        ...extra,
      };
      return decodeMessageEvents(name, upstream.post(body, { signal, onFirstByte }));
    },
  };
}
