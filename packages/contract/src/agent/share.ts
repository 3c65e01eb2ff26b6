import { z } from '@hono/zod-openapi';
import { attachmentSchema } from './chat-request.ts';
import { readFileQuerySchema } from './files.ts';
import { CHAT_ID } from './limits.ts';

/** The shared object: `chat/<id>` or `file/<path in the workspace>`. */
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
  .regex(/^(?:public|org:.{1,200})$/, 'public, or org:<id of an organization>')
  .openapi({ example: 'public' });

/** Body of `POST /share`. Source: docs/contract/agent-api.md §6. */
export const createShareSchema = z
  .object({
    path: sharePathSchema,
    audience: audienceSchema.default('public'),
    /** True to share the current content at each view; false to share a copy of the content now. */
    live: z.boolean().default(false),
    expires_at: z.iso.datetime({ offset: true }).nullish(),
  })
  .openapi('CreateShare');

/** A share as its owner sees it. */
export const shareSchema = z
  .object({
    /** The id for `DELETE /share/{id}`. It gives no access. */
    id: z.string(),
    path: z.string(),
    title: z.string(),
    audience: z.string(),
    live: z.boolean(),
    shared_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    /** Absent, with the addresses, for a share whose token can't be read any more: of an earlier version, or after the keys were lost. */
    token: z.string().optional(),
    /** Path of the page. */
    url: z.string().optional(),
    absolute_url: z.url().optional(),
  })
  .openapi('Share');

export type ShareView = z.infer<typeof shareSchema>;

/** Response of `POST /share`: the share, with its token and addresses. */
export const createdShareSchema = shareSchema
  .required({ token: true, url: true, absolute_url: true })
  .openapi('CreatedShare');

/** Path parameters of a share's routes. */
export const shareParamsSchema = z.object({ user: z.string().min(1).max(600), token: z.string().min(1).max(256) });

/** Query of a share's public routes. The workspace is part of the share's address; `X-Workspace` is ignored. */
export const shareQuerySchema = z.object({
  ws: z.string().max(128).optional().openapi({ description: 'The team that it was shared in' }),
});

/** Query of `GET /share/{user}/{token}/file/{path}`. */
export const sharedFileQuerySchema = readFileQuerySchema.omit({ preview: true }).extend(shareQuerySchema.shape);

const sharedMessageSchema = z
  .object({
    role: z.enum(['user', 'assistant']),
    content: z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]),
    parts: z.array(z.record(z.string(), z.unknown())).optional(),
    attachments: z.array(attachmentSchema).optional(),
  })
  .openapi('SharedMessage');

/**
 * Response of `GET /share/{user}/{token}/data`: the only fields that the audience sees.
 * Source: docs/contract/agent-api.md §6, "allow-list of keys".
 */
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

/** Response of `POST /share/{user}/{token}/fork`: the id of the new chat. */
export const forkedSchema = z.object({ id: z.string() }).openapi('Forked');
