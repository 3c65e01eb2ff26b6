import type { ModelTool } from '@berth/agent-core';
import type { ModelMessage } from '../model.ts';

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
