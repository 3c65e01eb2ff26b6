import { z } from '@hono/zod-openapi';
import { passwordSchema } from './session.ts';

/** Body of `POST /v1/user/members/reset-password`. */
export const createPasswordResetRequestSchema = z
  .object({ user: z.string().min(1).max(320).openapi({ description: 'ID or e-mail address of the person' }) })
  .openapi('CreatePasswordReset');

/** Response of `POST /v1/user/members/reset-password`. The link is returned only here. */
export const passwordResetLinkSchema = z
  .object({ user_id: z.string(), email: z.string(), link: z.url(), expires_at: z.iso.datetime() })
  .openapi('PasswordResetLink');

export type PasswordResetLink = z.infer<typeof passwordResetLinkSchema>;

const tokenSchema = z.string().min(1).max(100).openapi({ description: 'The part of the link after #' });

/** Body of `POST /v1/auth/password-reset/show`. */
export const passwordResetTokenRequestSchema = z.object({ token: tokenSchema }).openapi('PasswordResetToken');

/** Response of `POST /v1/auth/password-reset/show`: the person who sets a new password with the link. */
export const passwordResetSchema = z
  .object({ name: z.string(), email: z.string(), expires_at: z.iso.datetime() })
  .openapi('PasswordReset');

export type PasswordReset = z.infer<typeof passwordResetSchema>;

/** Body of `POST /v1/auth/password-reset`. */
export const passwordResetRequestSchema = z
  .object({ token: tokenSchema, password: passwordSchema })
  .openapi('PasswordResetRequest');

/** Body of `POST /v1/auth/password-reset/request`. */
export const requestPasswordResetSchema = z.object({ email: z.email().max(254) }).openapi('RequestPasswordReset');
