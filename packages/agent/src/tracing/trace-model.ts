import { isContentCaptured, type OpenSpan, openSpan, serverAttributes } from '@berth/agent-core';
import { factsOf, type Model, type ModelEvent, type ModelMessage, type ModelRequest } from '../models/model.ts';

/**
 * Wraps a model so that each answer has a span `chat MODEL`, with all its retries. Messages are recorded only where the owner opted in.
 * Source: OpenTelemetry GenAI semantic conventions 1.41.0, "Inference".
 */
export function traceModel(model: Model, chatId: string): Model {
  const { name, provider = 'custom', server } = model;
  return {
    ...factsOf(model),
    stream(request) {
      const span = openSpan(`chat ${name}`, {
        isClient: true,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': provider,
          'gen_ai.request.model': name,
          'gen_ai.request.stream': true,
          'gen_ai.conversation.id': chatId,
          ...(server && serverAttributes(server)),
        },
      });
      if (!span) return model.stream(request);
      const isCaptured = isContentCaptured();
      if (isCaptured) span.set(inputOf(request));
      return span.over(observe(model.stream(request), span, isCaptured));
    },
  };
}

/** Passes an answer on and records it. */
async function* observe(
  events: AsyncIterable<ModelEvent>,
  span: OpenSpan,
  isCaptured: boolean,
): AsyncGenerator<ModelEvent, void> {
  const startedMs = performance.now();
  const parts = createPartList();
  let hasBegun = false;
  for await (const event of events) {
    if (!hasBegun) span.set({ 'gen_ai.response.time_to_first_chunk': (performance.now() - startedMs) / 1_000 });
    hasBegun = true;
    if (isCaptured) parts.add(event);
    if (event.type === 'end') {
      const { input, output, cachedInput, cacheWrite } = event.usage;
      span.set({
        'gen_ai.response.model': event.model,
        'gen_ai.response.finish_reasons': [event.reason],
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': output,
        'gen_ai.usage.cache_read.input_tokens': cachedInput,
        'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
        ...(isCaptured && {
          'gen_ai.output.messages': JSON.stringify([
            { role: 'assistant', parts: parts.list, finish_reason: FINISH[event.reason] ?? event.reason },
          ]),
        }),
      });
    }
    yield event;
  }
}

/** End reasons that the conventions name otherwise. */
const FINISH: Readonly<Record<string, string>> = { tool_calls: 'tool_call', refusal: 'content_filter' };

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Collects the parts of an answer; pieces of one text become one part. */
function createPartList() {
  const list: Part[] = [];
  const append = (type: string, text: string) => {
    const last = list.at(-1);
    if (last?.type === type) list[list.length - 1] = { type, content: `${last['content']}${text}` };
    else list.push({ type, content: text });
  };
  return {
    list,
    add(event: ModelEvent): void {
      if (event.type === 'text') append('text', event.text);
      else if (event.type === 'thinking') append('reasoning', event.text);
      else if (event.type === 'tool_call') list.push(callPart(event.id, event.tool, event.args));
    },
  };
}

function callPart(id: string, name: string, args: string): Part {
  return { type: 'tool_call', id, name, arguments: args };
}

function inputOf({ system, messages, tools }: ModelRequest) {
  return {
    'gen_ai.input.messages': JSON.stringify(messages.map(messageOf)),
    ...(system !== undefined && { 'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]) }),
    ...(tools.length > 0 && {
      'gen_ai.tool.definitions': JSON.stringify(
        tools.map(({ name, description, inputSchema }) => ({
          type: 'function',
          name,
          description,
          parameters: inputSchema,
        })),
      ),
    }),
  };
}

/** Returns a message in the form of the conventions' JSON schema, "gen-ai-input-messages.json". Bytes of files are left out. */
function messageOf(message: ModelMessage): { readonly role: string; readonly parts: readonly Part[] } {
  if (message.role === 'tool') {
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.callId, response: message.text }] };
  }
  const parts = message.content.map((part): Part => {
    if (part.type === 'text') return { type: 'text', content: part.text };
    if (part.type === 'thinking') return { type: 'reasoning', content: part.text };
    if (part.type === 'tool_call') return callPart(part.id, part.tool, part.args);
    return { type: 'file', name: part.name, mime_type: part.mediaType };
  });
  return { role: message.role, parts };
}
