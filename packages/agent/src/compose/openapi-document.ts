import type { AgentApp } from '@berth/agent-core';
import { shareErrorResponses } from '@berth/http';

type Document = ReturnType<AgentApp['getOpenAPI31Document']>;

/** The OpenAPI 3.1 document of all routes registered so far. */
export function agentOpenApiDocument(app: AgentApp): Document {
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Berth agent',
      version: '1.0.0',
      description: 'Turns, chats, files, shares and settings of a deployed agent.',
    },
    servers: [{ url: '/' }],
  });
  return shareErrorResponses({
    ...document,
    paths: Object.fromEntries(Object.entries(document.paths ?? {}).map(([path, item]) => [toTemplate(path), item])),
    components: {
      ...document.components,
      securitySchemes: {
        HTTPBearer: { type: 'http', scheme: 'bearer', description: 'A token of the agent’s identity provider' },
      },
    },
  });
}

/** Hono says of a parameter that it may have slashes: `{path{.+}}`. OpenAPI's templates can't. */
function toTemplate(path: string): string {
  return path.replaceAll(/\{(\w+)\{[^}]*\}\}/g, '{$1}');
}
