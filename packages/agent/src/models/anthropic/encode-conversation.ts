import type { ModelTool } from '@berth/agent-core';
import type { AssistantContent, ModelMessage, UserContent } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { objectOf } from '../upstream/read-json.ts';

type Block = Readonly<Record<string, unknown>>;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Marks a prefix for the upstream's cache, which makes it ten times cheaper in the turn's next step. */
const CACHED = { cache_control: { type: 'ephemeral' } } as const;

/** Encodes system prompt and conversation for the Messages API: roles alternate, and tool results are messages of the user. */
export function encodeConversation(
  system: string | undefined,
  messages: readonly ModelMessage[],
): { readonly system?: readonly Block[]; readonly messages: readonly Turn[] } {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = encodeMessage(message);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  // Tool results must come first in their message.
  for (const turn of turns) turn.content.sort((a, b) => rank(a) - rank(b));
  const end = turns.at(-1)?.content;
  const last = end?.at(-1);
  if (end && last && last['type'] !== 'thinking') end[end.length - 1] = { ...last, ...CACHED };
  return { ...(system && { system: [{ type: 'text', text: system, ...CACHED }] }), messages: turns };
}

function rank(block: Block): number {
  return block['type'] === 'tool_result' ? 0 : 1;
}

function encodeMessage(message: ModelMessage): Block[] {
  switch (message.role) {
    case 'user': {
      const blocks = message.content.flatMap(encodeUser);
      // A message must not be empty.
      return blocks.length > 0 ? blocks : [{ type: 'text', text: '(no text)' }];
    }
    case 'assistant':
      return message.content.flatMap(encodeAssistant);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: message.callId,
          content: message.text === '' ? '(empty)' : message.text,
          ...(message.isError && { is_error: true }),
        },
      ];
  }
}

function encodeUser(part: UserContent): Block[] {
  // The API refuses blank texts.
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
  const source = { type: 'base64', media_type: part.mediaType, data: part.data };
  return [part.type === 'image' ? { type: 'image', source } : { type: 'document', title: part.name, source }];
}

function encodeAssistant(part: AssistantContent): Block[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking': {
      // The API accepts only thinking that it signed.
      const { signature, redacted } = objectOf(part.proof);
      if (typeof redacted === 'string') return [{ type: 'redacted_thinking', data: redacted }];
      return typeof signature === 'string' ? [{ type: 'thinking', thinking: part.text, signature }] : [];
    }
    case 'tool_call':
      return [{ type: 'tool_use', id: part.id, name: part.tool, input: parseToolArguments(part.args) ?? {} }];
  }
}

/**
 * Encodes tools for the Messages API. The API refuses a conversation with tool calls but without tools; then the tools that were
 * called are listed, and calling them is disabled.
 */
export function encodeTools(tools: readonly ModelTool[], messages: readonly ModelMessage[]): object {
  if (tools.length > 0) return { tools: tools.map(encodeTool) };
  const called = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.tool] : [])));
  if (called.size === 0) return {};
  const gone = [...called].map((name) => ({ name, description: 'Not offered now.', inputSchema: { type: 'object' } }));
  return { tools: gone.map(encodeTool), tool_choice: { type: 'none' } };
}

function encodeTool({ name, description, inputSchema }: ModelTool): object {
  return { name, description, input_schema: inputSchema };
}
