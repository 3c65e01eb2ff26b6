import { API_KEY_HEADER } from '@berth/contract/headers';
import { shareErrorResponses } from '@berth/http';
import type { Api } from './api.ts';

/** The version of the contract, not of the platform. Source: docs/contract/control-plane.md §1. */
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
        APIKeyHeader: { type: 'apiKey', in: 'header', name: API_KEY_HEADER },
        HTTPBearer: { type: 'http', scheme: 'bearer', description: 'A session token, or an API key' },
      },
    },
  });
}
