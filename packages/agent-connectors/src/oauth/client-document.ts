import { isIP } from 'node:net';
import type { ConnectorClient } from '@berth/contract/agent';
import { clientAddresses, LOOPBACK_HOSTS } from './agent-address.ts';

/** Returns the client metadata document. Source: draft-ietf-oauth-client-id-metadata-document, 4. */
export function clientDocument(origin: string, connector: string, name: string): ConnectorClient {
  const { redirectUri, documentUrl } = clientAddresses(origin, connector);
  return { client_id: documentUrl, ...clientMetadata(origin, redirectUri, name), token_endpoint_auth_method: 'none' };
}

/** The metadata that documents and registrations share. */
type ClientMetadata = Omit<ConnectorClient, 'client_id' | 'token_endpoint_auth_method'>;

/** Returns the client metadata that documents and registrations share. Source: RFC 7591, 2. */
export function clientMetadata(origin: string, redirectUri: string, name: string): ClientMetadata {
  return {
    client_name: name,
    client_uri: origin,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // Providers reject `localhost` for web clients and, for native ones, http to any other name, such as
    // `<name>.localhost`. Source: OpenID Connect Dynamic Client Registration, 2; RFC 8252, 7.3.
    application_type: LOOPBACK_HOSTS.includes(new URL(redirectUri).hostname) ? 'native' : 'web',
  };
}

/** Reports whether a provider on the internet can fetch the document from this origin. */
export function isReadableFromOutside(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  const isName =
    hostname.includes('.') && !hostname.endsWith('.localhost') && isIP(hostname.replace(/[[\]]/g, '')) === 0;
  return protocol === 'https:' && isName;
}
