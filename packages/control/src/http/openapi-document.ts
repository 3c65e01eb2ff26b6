import { ERRORS, type ErrorCode } from '@berth/contract';
import type { Api } from './api.ts';

/** The version of the contract, not of the platform. Source: spec control-plane 1. */
const CONTRACT_VERSION = '1.0.0';

type Document = ReturnType<Api['getOpenAPI31Document']>;

/** The OpenAPI 3.1 document of all routes registered so far. */
export function openApiDocument(api: Api): Document {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Berth control plane',
      version: CONTRACT_VERSION,
      description: 'Deployments, logs and accounts of a Berth platform.',
    },
    servers: [{ url: '/' }],
  });
  return shareErrorResponses({
    ...document,
    components: {
      ...document.components,
      securitySchemes: {
        APIKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        HTTPBearer: { type: 'http', scheme: 'bearer', description: 'A session token, or an API key' },
      },
    },
  });
}

/** Replaces the error answers that routes have in common by references to one component each. */
function shareErrorResponses(document: Document): Document {
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
