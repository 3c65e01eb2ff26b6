import { ReadableStream } from 'node:stream/web';
import { type AgentApp, routesOf } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type Chat, chatIdSchema } from '@berth/contract/agent';
import { z } from '@hono/zod-openapi';
import { readChat } from '../read-chat.ts';
import type { ChatRouteDeps } from './chat-route.ts';

const MEDIA_TYPES = { markdown: 'text/markdown; charset=utf-8', json: 'application/json' } as const;

/** `GET /chats/{id}/export` [+]. Source: docs/contract/agent-api.md §4. */
export function registerExportChat(app: AgentApp, deps: ChatRouteDeps): void {
  const route = routesOf(app, deps, 'Chats');
  const text = { schema: z.string() };
  route('GET /chats/{id}/export', 'exportChat', {
    access: 'user',
    errors: ['not_found'],
    summary: 'A chat as a file, as Markdown or JSON',
    description:
      'The messages that the chat shows, with the names of attached files. JSON also has the steps of the agent.',
    request: {
      params: z.object({ id: chatIdSchema }),
      query: z.object({ format: z.enum(['markdown', 'json']).default('markdown') }),
    },
    responses: {
      200: { description: 'The file', content: { 'text/markdown': text, 'application/json': text } },
    },
  }).handle(async (c) => {
    const { id } = c.req.valid('param');
    const { format } = c.req.valid('query');
    const options = { nowMs: deps.clock.nowMs() };
    const chat = await readChat({ ...deps.stores, runs: deps.runs }, c.get('owner'), id, options);
    if (!chat) throw createError('not_found', `There is no chat ${id}.`);
    const pieces = format === 'json' ? jsonPieces(chat) : markdownPieces(chat);
    const name = `${fileName(chat.title)}.${format === 'json' ? 'json' : 'md'}`;
    const headers = {
      'Content-Type': MEDIA_TYPES[format],
      'Content-Disposition': `attachment; filename="chat.${format === 'json' ? 'json' : 'md'}"; filename*=UTF-8''${encodeRfc5987(name)}`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
    return new Response(ReadableStream.from(encode(pieces)) as BodyInit, { headers }) as never;
  });
}

/** Encodes the pieces: a response takes bytes only. */
function* encode(pieces: Iterable<string>): Generator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

function* markdownPieces({ title, createdAt, messages }: Chat): Generator<string> {
  yield `# ${title.replaceAll(/\s+/g, ' ')}\n\n${createdAt}\n`;
  for (const { role, content, attachments = [], status } of messages) {
    yield `\n## ${role === 'user' ? 'User' : 'Assistant'}\n\n${content}\n`;
    if (attachments.length > 0) yield `\n${attachments.map(({ name }) => `- Attachment: ${name}`).join('\n')}\n`;
    if (status) yield `\n*(${status})*\n`;
  }
}

function* jsonPieces({ messages, next: _next, open: _open, run_id: _run, ...chat }: Chat): Generator<string> {
  yield `${JSON.stringify(chat).slice(0, -1)},"messages":[`;
  for (const [index, message] of messages.entries()) yield (index === 0 ? '\n' : ',\n') + JSON.stringify(message);
  yield '\n]}\n';
}

/** Returns a title as a file name that every operating system takes. */
function fileName(title: string): string {
  const name = title
    .replaceAll(/[\p{C}<>:"/\\|?*]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (
    [...name]
      .slice(0, 80)
      .join('')
      .replace(/[. ]+$/, '') || 'chat'
  );
}

/** Source: RFC 8187, section 3.2.1, `attr-char`. */
function encodeRfc5987(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
