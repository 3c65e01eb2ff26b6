import { z } from '@hono/zod-openapi';
import { roleSchema } from './scope.ts';
import { passwordSchema } from './session.ts';

/** A member of an account. */
export const memberSchema = z
  .object({
    user_id: z.string(),
    name: z.string(),
    email: z.string(),
    role: roleSchema,
    joined_at: z.iso.datetime(),
    is_you: z.boolean(),
  })
  .openapi('Member');

export type Member = z.infer<typeof memberSchema>;

/** Body of `POST /v1/user/members`. */
export const changeMemberRequestSchema = z.object({ user_id: z.string(), role: roleSchema }).openapi('ChangeMember');

/** A pending invitation. */
export const inviteSchema = z
  .object({
    id: z.string(),
    role: roleSchema,
    email: z.string().nullable().openapi({ description: 'The only e-mail address that can use it; null for any' }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .openapi('Invite');

export type Invite = z.infer<typeof inviteSchema>;

/** Body of `POST /v1/user/invites`. */
export const createInviteRequestSchema = z
  .object({
    role: roleSchema.default('member'),
    email: z.email().nullish().openapi({ description: 'The only e-mail address that can use it; any by default' }),
  })
  .openapi('CreateInviteRequest');

export type CreateInviteRequest = z.input<typeof createInviteRequestSchema>;

/** Response of `POST /v1/user/invites`. The link is returned only here. */
export const createdInviteSchema = inviteSchema
  .extend({
    link: z.url(),
    is_mailed: z.boolean().openapi({ description: 'True if the link is also sent to `email`' }),
  })
  .openapi('CreatedInvite');

export type CreatedInvite = z.infer<typeof createdInviteSchema>;

const inviteTokenSchema = z.string().min(1).max(100).openapi({ description: 'The part of the link after #' });

/** Body of `POST /v1/auth/invites/show` and `POST /v1/user/invites/accept`. */
export const inviteTokenRequestSchema = z.object({ token: inviteTokenSchema }).openapi('InviteToken');

/** Response of `POST /v1/auth/invites/show`: the account and role of an invitation. */
export const shownInviteSchema = z
  .object({
    account: z.object({ id: z.string(), name: z.string() }),
    role: roleSchema,
    email: z.string().nullable(),
    expires_at: z.iso.datetime(),
    invited_by: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: 'Name of the person who created the invitation; null if an API key did' }),
  })
  .openapi('ShownInvite');

export type ShownInvite = z.infer<typeof shownInviteSchema>;

/** Body of `POST /v1/auth/invites/accept`, for a person without an account on the platform. */
export const joinRequestSchema = z
  .object({
    token: inviteTokenSchema,
    email: z.email(),
    password: passwordSchema,
    name: z.string().trim().min(1).max(100),
  })
  .openapi('JoinRequest');

export type JoinRequest = z.input<typeof joinRequestSchema>;

/** Row of `GET /v1/user/accounts`. */
export const ownAccountSchema = z
  .object({ id: z.string(), name: z.string(), role: roleSchema, is_current: z.boolean() })
  .openapi('OwnAccount');

export type OwnAccount = z.infer<typeof ownAccountSchema>;
