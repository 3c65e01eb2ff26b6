import { z } from '@hono/zod-openapi';
import { grantScopeSchema } from './connector.ts';

/** Query of `POST /connectors/{name}/authorize`. Absent: the person's own, or the workspace's where there is only that. */
export const authorizeConnectorQuerySchema = z.object({ scope: grantScopeSchema.optional() });

/** Answer of `POST /connectors/{name}/authorize`: where the person consents. Source: docs/contract/agent-api.md §8. */
export const authorizeConnectorSchema = z.object({ url: z.string() }).openapi('AuthorizeConnector');

/** Wrong ones are answered with a page of the callback's own. */
const callbackParameter = z.unknown().optional().openapi({ type: 'string' });

/** Query of `GET /connectors/{name}/callback`, as providers write it. Source: RFC 6749, 4.1.2; RFC 9207, 2. */
export const connectorCallbackQuerySchema = z.object({
  state: callbackParameter,
  code: callbackParameter,
  iss: callbackParameter,
  error: callbackParameter,
});

/** What providers that read it learn of the agent. Source: draft-ietf-oauth-client-id-metadata-document, 4. */
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
