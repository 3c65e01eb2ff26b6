import { createHash } from 'node:crypto';
import { flattenPart, jsonText, type Part, type StepFrame } from '@berth/contract/agent';
import type { AssistantContent, ModelMessage, ToolMessage } from '../models/model.ts';
import { WAITS } from './run-tool.ts';

/**
 * Returns an earlier answer as messages for the model: text and tool calls in order, each call followed by its result. A call
 * without a known end counts as failed. Thinking is left out, because it belongs to its own turn, and so are the steps of
 * sub-agents, which belong to conversations of their own.
 * @param salt makes the ids of this answer differ from those of others.
 */
export function stepMessages(parts: readonly Part[], salt: string): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  let content: AssistantContent[] = [];
  let results: ToolMessage[] = [];
  const flush = () => {
    if (content.length > 0) messages.push({ role: 'assistant', content });
    messages.push(...results);
    content = [];
    results = [];
  };
  for (const [index, part] of parts.entries()) {
    if (part.type === 'step' && part.parent !== undefined) continue;
    if (part.type === 'step' && part.tool_name !== undefined) {
      const id = callId(`${salt}:${index}`);
      content.push({ type: 'tool_call', id, tool: part.tool_name, args: argsText(part) });
      results.push({
        role: 'tool',
        callId: id,
        tool: part.tool_name,
        text: part.result ?? unknownResult(part),
        isError: part.ok !== true,
      });
      continue;
    }
    const text = flattenPart(part);
    if (text === '') continue;
    // Text after a result belongs to the next answer.
    if (results.length > 0) flush();
    content.push({ type: 'text', text });
  }
  flush();
  return messages;
}

/** Returns an id of nine letters and digits, the only form that every upstream accepts. */
export function callId(seed: string): string {
  return createHash('sha256').update(seed).digest('hex').slice(0, 9);
}

function unknownResult({ ok, pending }: StepFrame): string {
  if (ok) return '';
  return pending ? WAITS : 'It is not known how this ended.';
}

/** Steps that were stored by an earlier version may have an object as `args`. */
export function argsText({ args }: StepFrame): string {
  return typeof args === 'string' ? args : (jsonText(args) ?? '{}');
}
