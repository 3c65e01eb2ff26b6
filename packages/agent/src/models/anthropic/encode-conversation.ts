import type { ModelTool } from '@berth/agent-core';
import type { AssistantContent, ModelMessage, ToolChoice, UserContent } from '../model.ts';
import { parseToolArguments } from '../tool-arguments.ts';
import { objectOf } from '../upstream/read-json.ts';

type Block = Readonly<Record<string, unknown>>;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Messages that are marked for the cache. The API takes four marks; one is of the system prompt. */
const MARKED_MESSAGES = 3;

/**
 * Encodes system prompt and conversation for the Messages API: roles alternate, and tool results are messages of the user.
 *
 * Marks for the upstream's cache: the system prompt, which covers the tools; the last message, for the turn's next step; and the
 * person's last two messages, for the next turn. The API finds an earlier mark at most 20 blocks back, and a turn with many steps is
 * longer than that. Source: Anthropic API guide, "Prompt caching".
 */
export function encodeConversation(
  system: string | undefined,
  messages: readonly ModelMessage[],
  cache: '5m' | '1h' | false = '5m',
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
  const mark = cache === false ? {} : { cache_control: { type: 'ephemeral', ...(cache === '1h' && { ttl: cache }) } };
  const said = turns.filter(({ content }) => content.some(({ type }) => type !== 'tool_result'));
  const asked = said.filter(({ role }) => role === 'user').slice(1 - MARKED_MESSAGES);
  for (const { content } of new Set([...asked, ...turns.slice(-1)])) {
    const last = content.at(-1);
    if (last && last['type'] !== 'thinking') content[content.length - 1] = { ...last, ...mark };
  }
  return { ...(system && { system: [{ type: 'text', text: system, ...mark }] }), messages: turns };
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

/** Encodes the choice of tools. A model that thinks can't be made to call a tool. Source: Anthropic API guide, "Extended thinking". */
export function encodeToolChoice(choice: ToolChoice = 'auto', isThinking: boolean): object {
  if (choice === 'auto' || (isThinking && choice !== 'none')) return {};
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  return { tool_choice: choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.tool } };
}

function encodeTool({ name, description, inputSchema }: ModelTool): object {
  return { name, description, input_schema: inputSchema };
}
