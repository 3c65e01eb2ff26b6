import { z } from '@hono/zod-openapi';
import { LIMITS } from './limits.ts';

// The messages of `GET /v1/deployment/{name}/exec`. Source: docs/contract/control-plane.md §4, "Commands in a service".

const sizeSchema = z.object({ columns: z.int().min(1).max(1_000), rows: z.int().min(1).max(1_000) });

/** A client's message as text. Binary messages are input. */
export const execClientMessageSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('start'),
      /** The program and its arguments; empty: a shell. */
      command: z
        .array(z.string().refine((text) => !text.includes('\0'), 'An argument has no NUL.'))
        .max(1_024)
        .refine(
          (command) => command.join(' ').length <= LIMITS.execCommandCharacters,
          `At most ${LIMITS.execCommandCharacters} characters.`,
        ),
      terminal: sizeSchema.extend({ type: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/) }).optional(),
    }),
    sizeSchema.extend({ type: z.literal('resize') }),
    z.object({ type: z.literal('signal'), signal: z.enum(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) }),
    z.object({ type: z.literal('end') }),
    /** Holds output back until `resume`, for clients that can't stop reading. No input may be sent in between. */
    z.object({ type: z.literal('pause') }),
    z.object({ type: z.literal('resume') }),
  ])
  .openapi('ExecClientMessage');

export type ExecClientMessage = z.infer<typeof execClientMessageSchema>;

/** A server's message as text. Binary messages are output: a byte with the stream, 1 or 2, and the bytes. */
export const execServerMessageSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('started'), instance: z.string(), revision: z.string() }),
    /** The last message. Exactly one of the two is set. */
    z.object({ type: z.literal('exit'), exit_code: z.int().nullable(), signal: z.string().nullable() }),
    /** The last message: the command didn't start, or the server ended it. */
    z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
  ])
  .openapi('ExecServerMessage');

export type ExecServerMessage = z.infer<typeof execServerMessageSchema>;

/** As `X-Account`, for WebSockets. */
const account = z.string().max(100).optional().openapi({
  description: 'As `X-Account`, for browsers, whose WebSockets have no headers',
});

/** Query of `GET /v1/deployment/{name}/run`. */
export const runQuerySchema = z.object({
  revision: z.string().max(100).optional().openapi({ description: 'The serving one by default' }),
  account,
});

/** Query of `GET /v1/deployment/{name}/tcp`. */
export const tcpQuerySchema = z.object({
  port: z.coerce.number().int().min(1).max(65_535).openapi({ description: 'A port that the instance listens on' }),
  instance: z.string().max(100).optional().openapi({ description: 'ID of a running instance; any by default' }),
  account,
});

/** A server's message as text, of `GET /v1/deployment/{name}/tcp`. Binary messages are data. A client sends `end` alone. */
export const tcpServerMessageSchema = z
  .discriminatedUnion('type', [
    /** The connection is made. */
    z.object({ type: z.literal('open'), instance: z.string(), revision: z.string() }),
    /** The program sends no more. */
    z.object({ type: z.literal('end') }),
    /** The last message: the connection wasn't made, or the server ended it. */
    z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
  ])
  .openapi('TcpServerMessage');

export type TcpServerMessage = z.infer<typeof tcpServerMessageSchema>;

/** Query of `GET /v1/deployment/{name}/exec`. */
export const execQuerySchema = z.object({
  instance: z.string().max(100).optional().openapi({ description: 'ID of a running instance; any by default' }),
  account,
});
