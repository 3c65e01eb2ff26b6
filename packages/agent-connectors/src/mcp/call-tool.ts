import { safeLine } from '@berth/agent-core';
import { z } from 'zod';
import { withMcpSpan } from './mcp-span.ts';
import { isObject, type JsonObject } from './plain-schema.ts';
import type { RemoteTool } from './remote-tool.ts';
import type { McpSession } from './with-session.ts';

/** The result of a tool call. */
export interface RemoteResult {
  /** Text for the model; JSON when the server returned structured content only. */
  readonly text: string;
  readonly isJson: boolean;
  readonly isError: boolean;
  readonly files: readonly RemoteFile[];
}

/** Binary content of a result. */
export interface RemoteFile {
  /** The server's claim, not verified. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const resultSchema = z.looseObject({
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
});

/**
 * Calls a tool once, without retries. Links in the result are listed but not followed; images and documents are
 * returned as files.
 * @throws McpError
 */
export async function callTool(
  session: McpSession,
  tool: Pick<RemoteTool, 'name' | 'headers'>,
  args: JsonObject,
): Promise<RemoteResult> {
  return await withMcpSpan(session, 'tools/call', { tool: tool.name }, async (span) => {
    const result = await ask(session, tool, args);
    if (result.isError) span?.fail(new RemoteFailure());
    return result;
  });
}

/** How a span says that the tool itself failed. Its text belongs to the content of messages. */
class RemoteFailure extends Error {
  override readonly name = 'tool_error';
  constructor() {
    super('the tool failed');
  }
}

async function ask(
  { client, request }: McpSession,
  { name, headers }: Pick<RemoteTool, 'name' | 'headers'>,
  args: JsonObject,
): Promise<RemoteResult> {
  const params = { name, arguments: { ...args } };
  if (!headers) return sortResult(await client.request({ method: 'tools/call', params }, resultSchema, request));
  const toolDefinition = { name, inputSchema: { ...headers, type: 'object' as const } };
  return sortResult(resultSchema.parse(await client.callTool(params, { ...request, toolDefinition })));
}

function sortResult({ content = [], structuredContent, isError }: z.infer<typeof resultSchema>): RemoteResult {
  const texts: string[] = [];
  const files: RemoteFile[] = [];
  for (const block of content) {
    if (!isObject(block)) continue;
    const file = fileOf(block) ?? (isObject(block['resource']) ? fileOf(block['resource']) : undefined);
    if (file) files.push(file);
    else texts.push(textOf(block));
  }
  const text = texts.filter((one) => one !== '').join('\n\n');
  // Servers repeat structured content as text for clients that don't support it. Source: MCP 2025-11-25, "Structured
  // Content".
  const isJson = text === '' && structuredContent !== undefined;
  return { text: isJson ? JSON.stringify(structuredContent) : text, isJson, isError: isError === true, files };
}

/** Returns an image, audio clip or binary resource. */
function fileOf(block: JsonObject): RemoteFile | undefined {
  const data = block['data'] ?? block['blob'];
  if (typeof data !== 'string') return undefined;
  return { mediaType: safeLine(block['mimeType'], 100), bytes: Buffer.from(data, 'base64') };
}

function textOf(block: JsonObject): string {
  const resource = isObject(block['resource']) ? block['resource'] : {};
  const text = block['text'] ?? resource['text'];
  if (typeof text === 'string') return text;
  if (typeof block['uri'] !== 'string') return '';
  const name = safeLine(block['title'] ?? block['name'], 200);
  return `[Link: ${[name, safeLine(block['uri'], 2_000)].filter((one) => one !== '').join(', ')}]`;
}
