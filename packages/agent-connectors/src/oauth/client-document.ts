import { isIP } from 'node:net';
import type { ConnectorClient } from '@berth/contract/agent';
import { isLoopback } from './agent-address.ts';

/** The names by which connectors are known outside. */
export interface ClientAddresses {
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
  /** Where the document lies; also the id of the client. */
  readonly documentUrl: string;
}

/** @param origin of the agent, without a slash at its end. */
export function clientAddresses(origin: string, connector: string): ClientAddresses {
  const base = `${origin}/connectors/${connector}`;
  return { redirectUri: `${base}/callback`, documentUrl: `${base}/client.json` };
}

/** What a provider that reads it learns of the agent. Source: draft-ietf-oauth-client-id-metadata-document, 4. */
export function clientDocument(origin: string, connector: string, name: string): ConnectorClient {
  const { redirectUri, documentUrl } = clientAddresses(origin, connector);
  return { client_id: documentUrl, ...clientMetadata(origin, redirectUri, name), token_endpoint_auth_method: 'none' };
}

/** The same of each way to be known. */
type ClientMetadata = Omit<ConnectorClient, 'client_id' | 'token_endpoint_auth_method'>;

/** What a client says of itself, however it does. Source: RFC 7591, 2. */
export function clientMetadata(origin: string, redirectUri: string, name: string): ClientMetadata {
  return {
    client_name: name,
    client_uri: origin,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // Else an address on loopback is refused. Source: OpenID Connect Dynamic Client Registration, 2.
    application_type: isLoopback(origin) ? 'native' : 'web',
  };
}

/** Whether a provider on the internet can read a document there. */
export function isReadableFromOutside(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  const isName =
    hostname.includes('.') && !hostname.endsWith('.localhost') && isIP(hostname.replace(/[[\]]/g, '')) === 0;
  return protocol === 'https:' && isName;
}
