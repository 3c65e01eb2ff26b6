import { z } from '@hono/zod-openapi';

/** The maximum length of a key in bytes of UTF-8. */
const KEY_BYTES = 1_024;

/** The name of an app: a folder in `apps` of the workspace. */
export const appSlugSchema = z
  .string()
  .max(100)
  // A leading dot is reserved. A colon marks deleted apps in the trash.
  .regex(/^(?!\.)[^/\\:\p{Cc}]+$/u, 'the name of a folder, without a leading dot')
  .openapi({ example: 'poll' });

/**
 * Returns why `key` isn't a valid row key; undefined when it is valid. With `isSubtree` it may end in `/`, which addresses
 * all keys below it.
 * Source: docs/contract/agent-api.md §9.
 */
export function appKeyProblem(key: string, isSubtree = false): string | undefined {
  if (key === '') return 'a key has at least one character';
  if (new TextEncoder().encode(key).length > KEY_BYTES) return `a key has at most ${KEY_BYTES} bytes`;
  if (key.includes('\0')) return 'a key has no NUL';
  // U+10FFFF is a noncharacter. Range queries use it as the upper bound of a prefix.
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

/** Path parameters of a row. */
export const appKeyParamsSchema = z.object({ slug: appSlugSchema, key: keySchema });

/** The owner of rows: absent for shared rows, `me` for the caller's own, or a user id (admins only). */
export const appWhoSchema = z.string().min(1).max(256).optional().openapi({ example: 'me' });

/** Query of `GET /apps/{slug}/data`. */
export const listAppDataQuerySchema = z.object({
  prefix: z.string().max(KEY_BYTES).default(''),
  /** Also `all`: all users' own rows (admins only). */
  who: appWhoSchema,
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** The `cursor` of the previous page, or the last key read. */
  cursor: z
    .string()
    .max(2 * KEY_BYTES)
    .optional(),
});

/** A row of an app. */
export const appRowSchema = z
  .object({
    key: z.string(),
    value: z.unknown(),
    version: z.int(),
    /** The owner of the row; with `who=all` only. */
    who: z.string().optional(),
  })
  .openapi('AppRow');

/** Response of `GET /apps/{slug}/data`. */
export const appRowsSchema = z
  .object({
    rows: z.array(appRowSchema),
    /** True when there are more rows. */
    truncated: z.boolean(),
    /** The cursor of the next page; null on the last page. */
    cursor: z.string().nullable(),
  })
  .openapi('AppRows');

/** Response of `GET /apps/{slug}/data/{key}`. */
export const appValueSchema = z.object({ value: z.unknown(), version: z.int() }).openapi('AppValue');

/** Response of `PUT /apps/{slug}/data/{key}`. */
export const appWrittenSchema = z.object({ ok: z.literal(true), version: z.int() }).openapi('AppWritten');
