import type { z } from '@hono/zod-openapi';

/** The JSON body of a request, always required. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true } as const;
}

/** A JSON answer. */
export function jsonResponse<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description } as const;
}
