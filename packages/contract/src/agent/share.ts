import { z } from '@hono/zod-openapi';
import { attachmentSchema } from './chat-request.ts';
import { readFileQuerySchema } from './files.ts';
import { CHAT_ID } from './limits.ts';

/** `chat/<id>` or `file/<path of the workspace>`. */
const sharePathSchema = z
  .string()
  .max(4_096)
  .superRefine((path, context) => {
    const [kind, ...rest] = path.split('/');
    const isGood = kind === 'chat' ? CHAT_ID.test(rest.join('/')) : kind === 'file' && rest.join('/') !== '';
    if (!isGood)
      context.addIssue({ code: 'custom', message: 'chat/<id> or file/<path>', params: { type: 'path_invalid' } });
  })
  .openapi({ example: 'chat/2f1c' });

const audienceSchema = z
  .string()
  .regex(/^(?:public|org:.{1,200})$/, 'public, or org:<id of an organisation>')
  .openapi({ example: 'public' });

/** Body of `POST /share`. Source: docs/contract/agent-api.md §6. */
export const createShareSchema = z
  .object({
    path: sharePathSchema,
    audience: audienceSchema.default('public'),
    /** Follows the chat, or the file; else what is there now is frozen. */
    live: z.boolean().default(false),
    expires_at: z.iso.datetime({ offset: true }).nullish(),
  })
  .openapi('CreateShare');

/** A share as its owner sees it. The token is told once, by `POST /share`; only its hash is kept. */
export const shareSchema = z
  .object({
    /** Names the share where its token is not at hand: `DELETE /share/{id}`. Opens nothing. */
    id: z.string(),
    path: z.string(),
    title: z.string(),
    audience: z.string(),
    live: z.boolean(),
    shared_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  })
  .openapi('Share');

export type ShareView = z.infer<typeof shareSchema>;

export const createdShareSchema = shareSchema
  .extend({ token: z.string(), url: z.url().openapi({ description: 'The page to hand on' }) })
  .openapi('CreatedShare');

export const SHARE_TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

export const shareParamsSchema = z.object({ user: z.string().min(1).max(600), token: z.string().min(1).max(256) });

/** Of the routes that anybody may call: the workspace is in the address of the share, `X-Workspace` is not looked at. */
export const shareQuerySchema = z.object({
  ws: z.string().max(128).optional().openapi({ description: 'The team that it was shared in' }),
});

/** Query of a file of a share. */
export const sharedFileQuerySchema = readFileQuerySchema.omit({ preview: true }).extend(shareQuerySchema.shape);

const sharedMessageSchema = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]),
    parts: z.array(z.record(z.string(), z.unknown())).optional(),
    attachments: z.array(attachmentSchema).optional(),
  })
  .openapi('SharedMessage');

/** What anybody in the audience sees: these keys and no others. Source: docs/contract/agent-api.md §6, "allow-list of keys". */
export const sharedDataSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('chat'),
      id: z.string(),
      title: z.string(),
      messages: z.array(sharedMessageSchema),
      shared_at: z.iso.datetime(),
      live: z.boolean(),
    }),
    z.object({
      type: z.literal('file'),
      path: z.string(),
      url: z.string(),
      title: z.string(),
      shared_at: z.iso.datetime(),
      live: z.boolean(),
    }),
  ])
  .openapi('SharedData');

export type SharedData = z.infer<typeof sharedDataSchema>;
export type SharedMessage = z.infer<typeof sharedMessageSchema>;

export const forkedSchema = z.object({ id: z.string() }).openapi('Forked');
