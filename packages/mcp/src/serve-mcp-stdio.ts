import type { Readable, Writable } from 'node:stream';
import { describeError } from '@berth/kit';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createPlatformServer, type PlatformServerOptions } from './create-platform-server.ts';
import { MCP_LIMITS } from './tool/limits.ts';
import type { ToolAccess } from './tool/tool.ts';

/** Options of {@link serveMcpStdio}. */
export interface ServeMcpStdioOptions extends PlatformServerOptions {
  readonly access: ToolAccess;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Serves the platform's tools over a pair of streams. Resolves when the client closes its end or `signal` aborts. */
export async function serveMcpStdio({
  access,
  input,
  output,
  signal,
  ...options
}: ServeMcpStdioOptions): Promise<void> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MCP_LIMITS.requestBytes });
  const handle = serveStdio(() => createPlatformServer(options, access), {
    transport,
    onerror: (error) => options.logger.warn({ error: describeError(error) }, 'a message of the MCP client was refused'),
  });
  for (const event of ['end', 'close', 'error']) input.once(event, end);
  signal.addEventListener('abort', () => end(), { once: true });
  if (signal.aborted || input.destroyed) end();
  await ended;
  await handle.close();
}
