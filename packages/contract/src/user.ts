import { z } from '@hono/zod-openapi';
import { accountSchema } from './account.ts';
import { roleSchema, scopeSchema } from './scope.ts';

/**
 * Response of `GET /v1/user`: the account, person and permissions of the credential.
 * Source: docs/contract/control-plane.md §8.
 */
export const userSchema = z
  .object({
    account: accountSchema,
    /** The person; null for a key that wasn't created by one. */
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
    /** The key that was sent; null for a session. */
    key: z.object({ id: z.string(), name: z.string(), start: z.string() }).nullable(),
    /** The person's role in the account; null for a key that wasn't created by one. */
    role: z.union([roleSchema, z.null()]),
    scopes: z.array(scopeSchema),
  })
  .openapi('User');

export type User = z.infer<typeof userSchema>;
