import { z } from '@hono/zod-openapi';
import { grantScopeSchema } from './connector.ts';

/**
 * Query of `POST /connectors/{name}/authorize`. Without `scope`, the person connects for themselves, or for the workspace
 * when the connector allows only that.
 */
export const authorizeConnectorQuerySchema = z.object({ scope: grantScopeSchema.optional() });

/** Response of `POST /connectors/{name}/authorize`: the URL of the consent page. Source: docs/contract/agent-api.md §8. */
export const authorizeConnectorSchema = z.object({ url: z.string() }).openapi('AuthorizeConnector');

/** Accepts any value, because the callback shows a page of its own for invalid ones. */
const callbackParameter = z.unknown().optional().openapi({ type: 'string' });

/** Query of `GET /connectors/{name}/callback`, set by providers. Source: RFC 6749 section 4.1.2; RFC 9207 section 2. */
export const connectorCallbackQuerySchema = z.object({
  state: callbackParameter,
  code: callbackParameter,
  iss: callbackParameter,
  error: callbackParameter,
});

/**
 * The client metadata document of an agent, for providers that support it. Source:
 * draft-ietf-oauth-client-id-metadata-document, section 4.
 */
export const connectorClientSchema = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    client_uri: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    application_type: z.enum(['web', 'native']),
    token_endpoint_auth_method: z.literal('none'),
  })
  .openapi('ConnectorClient');

export type ConnectorClient = z.infer<typeof connectorClientSchema>;
