import { z } from '@hono/zod-openapi';

/** Bytes of a key in UTF-8. */
const KEY_BYTES = 1_024;

/** An app: a folder of the workspace's `apps`. */
export const appSlugSchema = z
  .string()
  .max(100)
  // No leading dot: reserved. No colon: marks what is in the trash.
  .regex(/^(?!\.)[^/\\:\p{Cc}]+$/u, 'the name of a folder, without a leading dot')
  .openapi({ example: 'poll' });

/**
 * Why `key` is no key of a row, or undefined when it is one. With `isSubtree` it may end in `/`: all that is below.
 * Source: docs/contract/agent-api.md §9.
 */
export function appKeyProblem(key: string, isSubtree = false): string | undefined {
  if (key === '') return 'a key has at least one character';
  if (new TextEncoder().encode(key).length > KEY_BYTES) return `a key has at most ${KEY_BYTES} bytes`;
  if (key.includes('\0')) return 'a key has no NUL';
  // The last code point is no character; what is above all others marks the end of a prefix.
  if (!key.isWellFormed() || key.includes('\u{10ffff}')) return 'a key is well-formed Unicode';
  if (key.startsWith('/')) return 'a key has no leading /';
  const segments = (isSubtree ? key.replace(/\/$/, '') : key).split('/');
  if (segments.includes('')) return 'a key has no empty segment';
  if (segments.includes('..') || segments.includes('.')) return 'a key has no segment . or ..';
  return undefined;
}

const keySchema = z
  .string()
  .superRefine((key, context) => {
    const message = appKeyProblem(key);
    if (message !== undefined) context.addIssue({ code: 'custom', message, params: { type: 'key_invalid' } });
  })
  .openapi({ example: 'votes/2026' });

export const appKeyParamsSchema = z.object({ slug: appSlugSchema, key: keySchema });

/** Whose rows: absent the shared ones, `me` the caller's own, a person's id theirs (admins only). */
export const appWhoSchema = z.string().min(1).max(256).optional().openapi({ example: 'me' });

export const listAppDataQuerySchema = z.object({
  prefix: z.string().max(KEY_BYTES).default(''),
  /** `all` too: everybody's own rows (admins only). */
  who: appWhoSchema,
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `cursor` of the page before, or the last key that was seen. */
  cursor: z
    .string()
    .max(2 * KEY_BYTES)
    .optional(),
});

export const appRowSchema = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: z.int(),
    /** Whose row it is; with `who=all` only. */
    who: z.string().optional(),
  })
  .openapi('AppRow');

export const appRowsSchema = z
  .object({
    rows: z.array(appRowSchema),
    /** There are more. */
    truncated: z.boolean(),
    /** Where they begin; null at the end. */
    cursor: z.string().nullable(),
  })
  .openapi('AppRows');

export const appValueSchema = z.object({ value: z.unknown(), version: z.int() }).openapi('AppValue');

export const appWrittenSchema = z.object({ ok: z.literal(true), version: z.int() }).openapi('AppWritten');
