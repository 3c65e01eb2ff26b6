import { deployEventSchema } from '@berth/contract';
import type { RouteConfig } from '@hono/zod-openapi';

/** A stream of deploy events in a route object. */
export function deployStreamResponse(description: string): RouteConfig['responses'][200] {
  return { description, content: { 'application/x-ndjson': { schema: deployEventSchema } } };
}
