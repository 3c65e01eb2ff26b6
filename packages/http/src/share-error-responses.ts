import { ERRORS, type ErrorCode } from '@berth/contract';
import type { OpenAPIHono } from '@hono/zod-openapi';

type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

/** Replaces error responses that routes share by references to one component each. */
export function shareErrorResponses(document: Document): Document {
  const names = new Map(
    Object.entries(ERRORS).map(([code, { status, meaning }]) => [
      `${status} ${meaning}`,
      componentName(code as ErrorCode),
    ]),
  );
  const shared: NonNullable<NonNullable<Document['components']>['responses']> = {};
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item)) {
      for (const [status, response] of Object.entries(operation.responses ?? {})) {
        const name = names.get(`${status} ${(response as { description?: string }).description}`);
        if (!name) continue;
        shared[name] = response as (typeof shared)[string];
        operation.responses[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  return { ...document, components: { ...document.components, responses: shared } };
}

/** `too_many_requests` → `TooManyRequests`. */
function componentName(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
