import { z } from '@hono/zod-openapi';
import { accountSchema } from './account.ts';
import { roleSchema } from './role.ts';
import { scopeSchema } from './scope.ts';

/** Answer of `GET /v1/user`: who the credential is. Source: docs/contract/control-plane.md §8. */
export const userSchema = z
  .object({
    account: accountSchema,
    /** The person; null for a key that no person made. */
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
    /** The key that was sent; null for a session. */
    key: z.object({ id: z.string(), name: z.string(), start: z.string() }).nullable(),
    /** What the person is in the account; null for a key that no person made. */
    role: z.union([roleSchema, z.null()]),
    scopes: z.array(scopeSchema),
  })
  .openapi('User');

export type User = z.infer<typeof userSchema>;
