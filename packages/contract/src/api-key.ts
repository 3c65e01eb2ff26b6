import { z } from '@hono/zod-openapi';
import { scopeSchema } from './scope.ts';

/** A key without its secret. Source: docs/contract/control-plane.md §8. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The first characters of the secret. */
    start: z.string(),
    scopes: z.array(scopeSchema),
    expires_at: z.iso.datetime().nullable(),
    /** Accurate to a minute. */
    last_used_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi('ApiKey');

export type ApiKey = z.infer<typeof apiKeySchema>;

/** Body of `POST /v1/user/keys`. */
export const createKeyRequestSchema = z
  .object({
    name: z.string().trim().min(1).max(100),
    scopes: z.array(scopeSchema).min(1).optional().openapi({ description: 'Default: all scopes of the caller' }),
    expires_at: z.iso.datetime({ offset: true }).nullish().openapi({ description: 'Default or null: never' }),
  })
  .openapi('CreateKeyRequest');

export type CreateKeyRequest = z.input<typeof createKeyRequestSchema>;

/** Response of `POST /v1/user/keys`. The secret is returned only here. */
export const createdKeySchema = apiKeySchema.extend({ secret: z.string() }).openapi('CreatedApiKey');

export type CreatedKey = z.infer<typeof createdKeySchema>;
