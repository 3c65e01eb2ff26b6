import type { z } from '@hono/zod-openapi';

/** Returns the JSON body of a request for a route object; always required. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true } as const;
}

/** Returns a JSON response for a route object. */
export function jsonResponse<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description } as const;
}
