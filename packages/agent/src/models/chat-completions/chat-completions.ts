import type { Clock } from '@berth/kit';
import type { Model, ResponseFormat, ToolChoice } from '../model.ts';
import { createUpstream } from '../upstream/upstream.ts';
import { decodeChunks } from './decode-chunks.ts';
import { encodeMessages } from './encode-messages.ts';

export interface ChatCompletionsOptions {
  /** The server's name of the model. */
  readonly model: string;
  /** `https://api.openai.com/v1` by default; with any other, that server's own. */
  readonly baseUrl?: string;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Most tokens of one answer, including thinking. */
  readonly maxOutputTokens?: number;
  /** Added to the request unchanged, e.g. `temperature`, `reasoning_effort`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** False for a server that refuses `stream_options`; usage is then estimated. */
  readonly includeUsage?: boolean;
  /** False for a server without `response_format`; structured output then comes by a tool. */
  readonly hasResponseFormat?: boolean;
  /** Silence after which the request fails; 5 minutes by default. */
  readonly silenceMs?: number;
  readonly clock?: Clock;
}

const OPENAI = 'https://api.openai.com/v1';

/**
 * Creates a model of any server with Chat Completions: OpenAI, vLLM, Ollama, llama.cpp, Groq, Mistral, OpenRouter…
 * Source: OpenAI API reference, "Chat Completions".
 */
export function chatCompletions(options: ChatCompletionsOptions): Model {
  const { model, baseUrl = OPENAI, apiKey, headers = {}, maxOutputTokens, extra } = options;
  const { includeUsage = true, hasResponseFormat = true } = options;
  const base = baseUrl.replace(/\/+$/, '');
  const name = `${model} at ${new URL(base).host}`;
  const upstream = createUpstream({
    name,
    url: `${base}/chat/completions`,
    headers: { ...(apiKey && { Authorization: `Bearer ${apiKey}` }), ...headers },
    secret: apiKey,
    silenceMs: options.silenceMs,
    clock: options.clock,
  });
  // OpenAI's newer models refuse the old field; most other servers don't know the new one.
  const limitField = base === OPENAI ? 'max_completion_tokens' : 'max_tokens';
  return {
    name: model,
    provider: providerOf(new URL(base).hostname),
    server: new URL(base),
    hasResponseFormat,
    stream({ system, messages, tools, toolChoice, responseFormat, signal, onFirstByte }) {
      const body = {
        model,
        messages: encodeMessages(system, messages),
        ...(tools.length > 0 && { tools: tools.map(encodeTool), ...encodeToolChoice(toolChoice) }),
        ...(responseFormat && { response_format: encodeFormat(responseFormat) }),
        stream: true,
        ...(includeUsage && { stream_options: { include_usage: true } }),
        ...(maxOutputTokens !== undefined && { [limitField]: maxOutputTokens }),
        ...extra,
      };
      return decodeChunks(name, upstream.post(body, { signal, onFirstByte }));
    },
  };
}

/** Providers by the end of their host's name. Source: OpenTelemetry 1.41.0, `gen_ai.provider.name`. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'openai.com': 'openai',
  'openai.azure.com': 'azure.ai.openai',
  'groq.com': 'groq',
  'mistral.ai': 'mistral_ai',
  'deepseek.com': 'deepseek',
  'x.ai': 'x_ai',
  'perplexity.ai': 'perplexity',
  'generativelanguage.googleapis.com': 'gcp.gemini',
};

/** Returns the provider in traces; for a server that is not listed, its host. */
function providerOf(host: string): string {
  const known = Object.keys(PROVIDERS).find((end) => host === end || host.endsWith(`.${end}`));
  return (known && PROVIDERS[known]) ?? host;
}

function encodeToolChoice(choice: ToolChoice = 'auto'): object {
  if (choice === 'auto') return {};
  return { tool_choice: typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.tool } } };
}

function encodeFormat({ name, schema, isStrict }: ResponseFormat): object {
  if (!schema) return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name, schema, ...(isStrict && { strict: true }) } };
}

function encodeTool(tool: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}): unknown {
  const { name, description, inputSchema } = tool;
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}
