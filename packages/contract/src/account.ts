import { z } from '@hono/zod-openapi';
import { createdKeySchema } from './api-key.ts';
import { passwordSchema } from './session.ts';

/** The name of an account. */
export const accountNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(63)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'must hold only a-z, 0-9 and "-", and start and end with a letter or digit',
  );

/** An account. */
export const accountSchema = z
  .object({ id: z.string(), name: z.string(), plan: z.string(), created_at: z.iso.datetime() })
  .openapi('Account');

export type Account = z.infer<typeof accountSchema>;

/** Body of `POST /v1/admin/accounts`, which only the operator's account may call. */
export const createAccountRequestSchema = z
  .object({
    name: accountNameSchema,
    user: z
      .object({ email: z.email(), password: passwordSchema, name: z.string().min(1).max(100).optional() })
      .optional()
      .openapi({ description: 'A person who can sign in to the account' }),
  })
  .openapi('CreateAccountRequest');

export type CreateAccountRequest = z.input<typeof createAccountRequestSchema>;

/** Response of `POST /v1/admin/accounts`: the account, and its first key, which has all scopes. */
export const createdAccountSchema = z
  .object({ account: accountSchema, key: createdKeySchema })
  .openapi('CreatedAccount');

export type CreatedAccount = z.infer<typeof createdAccountSchema>;
