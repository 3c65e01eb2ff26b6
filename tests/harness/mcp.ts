import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Berth } from './berth.ts';

/** The result of a tool. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly text: string;
  readonly fields: Record<string, unknown>;
}

/** Calls a tool; a deploy may take a while. */
export async function call(
  client: Client,
  name: string,
  args: object = {},
  onProgress?: (text?: string) => void,
): Promise<ToolResult> {
  const onprogress = onProgress && (({ message }: { message?: string | undefined }) => onProgress(message));
  const options = { timeout: 120_000, resetTimeoutOnProgress: true, ...(onprogress && { onprogress }) };
  const result = await client.callTool({ name, arguments: { ...args } }, options);
  return {
    ...(result.isError === true && { isError: true }),
    text: (result.content as { text: string }[])[0]?.text ?? '',
    fields: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

/** Connects the official client to the platform's MCP server. */
export async function connectMcp(
  berth: Pick<Berth, 'url'>,
  headers: Readonly<Record<string, string>>,
): Promise<Client> {
  const client = createMcpClient();
  await client.connect(new StreamableHTTPClientTransport(new URL(`${berth.url}/mcp`), { requestInit: { headers } }));
  return client;
}

/** The official client, of the current revision of the protocol and those of 2025. */
export function createMcpClient(): Client {
  return new Client({ name: 'acceptance', version: '1' }, { versionNegotiation: { mode: 'auto' } });
}

/** The headers that carry a key or a token. */
export const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });

/** Closes the client at the end of its block. */
export function closing(client: Client): Client & AsyncDisposable {
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
