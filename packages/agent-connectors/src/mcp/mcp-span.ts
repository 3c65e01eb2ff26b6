import { type OpenSpan, serverAttributes, withSpan } from '@berth/agent-core';
import type { Client } from '@modelcontextprotocol/client';

/** The session of a request. */
interface SpanSession {
  readonly client: Pick<Client, 'getNegotiatedProtocolVersion'>;
  readonly server?: URL;
}

/** Target of a request: the name of a tool or of a prompt. */
interface McpTarget {
  readonly tool?: string;
  readonly prompt?: string;
}

/**
 * Runs a request to an MCP server in a span `METHOD TARGET`. It lies inside the span of the tool's call, which also covers opening the
 * session and what becomes of the result. Source: OpenTelemetry GenAI semantic conventions 1.41.0, "MCP", "Client".
 */
export async function withMcpSpan<Result>(
  { client, server }: SpanSession,
  method: string,
  { tool, prompt }: McpTarget,
  work: (span: OpenSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const name = [method, tool ?? prompt].filter((part) => part !== undefined).join(' ');
  const attributes = {
    'mcp.method.name': method,
    'gen_ai.operation.name': tool === undefined ? undefined : 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.prompt.name': prompt,
    'network.protocol.name': 'http',
    'network.transport': 'tcp',
    ...(server && serverAttributes(server)),
  };
  return await withSpan(name, { isClient: true, attributes }, async (span) => {
    const result = await work(span);
    span?.set({ 'mcp.protocol.version': client.getNegotiatedProtocolVersion() });
    return result;
  });
}
