import { deployEventSchema } from '@berth/contract';
import type { RouteConfig } from '@hono/zod-openapi';

/** Returns the `responses` entry of a stream of deploy events. */
export function deployStreamResponse(description: string): RouteConfig['responses'][200] {
  return { description, content: { 'application/x-ndjson': { schema: deployEventSchema } } };
}
