import type { ModelTool } from '@berth/agent-core';
import type { ModelMessage } from '../model.ts';

/**
 * The tools as Messages has them. A conversation in which tools were called is refused without any: then those are named
 * that it called, and none may be.
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
