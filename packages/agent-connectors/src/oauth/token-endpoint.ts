import { createError } from '@berth/contract';
import * as oauth from 'oauth4webapi';
import type { OAuthClient, Provider } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** A token response. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Undefined when the provider doesn't say. */
  readonly lifeSeconds?: number;
}

/** An error response. `error` is the provider's text, e.g. `invalid_grant`, and must not be shown. */
export interface Refusal {
  readonly error: string;
}

/** The provider and the client of a token request. `clientSecret` is the declared secret for a declared client. */
export interface TokenParty {
  readonly provider: Pick<Provider, 'issuer' | 'tokenEndpoint' | 'revocationEndpoint' | 'resource' | 'isIssuerSent'>;
  readonly client: Pick<OAuthClient, 'clientId' | 'authentication'>;
  readonly clientSecret: string | undefined;
}

/** The exchange of an authorization code. */
export interface CodeExchange extends TokenParty {
  /** Query parameters of the callback. */
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** Visible ASCII. Source: RFC 6749, A.12, without the space, which headers trim. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** Creates a client of token and revocation endpoints. All methods throw `unavailable` when there is no readable response. */
export function createTokenEndpoint(ask: ProviderFetch) {
  const optionsOf = ({ provider }: TokenParty) => ({
    // The outbound client decides which hosts may be reached without TLS.
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<string, URLSearchParams>) =>
      conformed(await ask(url, init)),
    ...(provider.resource !== undefined && { additionalParameters: { resource: provider.resource } }),
  });
  const request = async (
    party: TokenParty,
    run: (server: oauth.AuthorizationServer, client: oauth.Client) => Promise<Response>,
  ): Promise<Tokens | Refusal> => {
    const [server, client] = [serverOf(party), { client_id: party.client.clientId }];
    try {
      // These checks also fit the response to a code: without OpenID Connect the two don't differ.
      const answer = await oauth.processRefreshTokenResponse(server, client, await run(server, client));
      if (!SENDABLE.test(answer.access_token)) throw new Error('a token that no header can hold');
      return {
        accessToken: answer.access_token,
        ...(answer.refresh_token && { refreshToken: answer.refresh_token }),
        ...(answer.expires_in && { lifeSeconds: answer.expires_in }),
      };
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.status < 404) return { error: error.error };
      throw asUnavailable(party, error);
    }
  };
  return {
    /**
     * Exchanges a code for tokens. Also returns a refusal for a response from another issuer, and when the user declined.
     */
    exchange: async (exchange: CodeExchange): Promise<Tokens | Refusal> => {
      let parameters: URLSearchParams;
      try {
        parameters = oauth.validateAuthResponse(
          serverOf(exchange),
          { client_id: exchange.client.clientId },
          // Without a known issuer, `iss` can't be compared. The redirect URI is specific to this connector.
          exchange.provider.issuer === undefined ? without(exchange.parameters, 'iss') : exchange.parameters,
          // The state was already verified and consumed.
          oauth.skipStateCheck,
        );
      } catch (error) {
        return { error: error instanceof oauth.AuthorizationResponseError ? error.error : 'invalid_response' };
      }
      const { redirectUri, verifier } = exchange;
      return request(exchange, (server, client) =>
        oauth.authorizationCodeGrantRequest(
          server,
          client,
          authenticationOf(exchange),
          parameters,
          redirectUri,
          verifier,
          optionsOf(exchange),
        ),
      );
    },
    /** Exchanges a refresh token for new tokens. */
    renew: (party: TokenParty, refreshToken: string): Promise<Tokens | Refusal> =>
      request(party, (server, client) =>
        oauth.refreshTokenGrantRequest(server, client, authenticationOf(party), refreshToken, optionsOf(party)),
      ),
    /** Revokes a token. */
    async revoke(party: TokenParty, token: string): Promise<void> {
      const client = { client_id: party.client.clientId };
      await oauth.revocationRequest(serverOf(party), client, authenticationOf(party), token, optionsOf(party));
    },
  };
}

function serverOf({ provider }: TokenParty): oauth.AuthorizationServer {
  return {
    issuer: provider.issuer ?? provider.tokenEndpoint,
    token_endpoint: provider.tokenEndpoint,
    ...(provider.revocationEndpoint !== undefined && { revocation_endpoint: provider.revocationEndpoint }),
    authorization_response_iss_parameter_supported: provider.isIssuerSent,
  };
}

function authenticationOf({ client, clientSecret }: TokenParty): oauth.ClientAuth {
  if (clientSecret === undefined || client.authentication === 'none') return oauth.None();
  return client.authentication === 'post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}

/**
 * Normalizes responses of providers that deviate from RFC 6749: a missing token type, errors with status 200, null
 * fields. `id_token` is dropped, since connectors don't use it.
 */
async function conformed(response: Response): Promise<Response> {
  const text = await response.text();
  const { status } = response;
  const body = parseObject(text);
  if (!body) return new Response(text === '' ? null : text, { status });
  // The headers are dropped: the content type may be wrong, and a challenge would hide the error in the body.
  const { id_token: _, ...fields } = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  if (typeof fields['access_token'] === 'string') return Response.json({ token_type: 'bearer', ...fields }, { status });
  const isError = response.ok && typeof fields['error'] === 'string';
  return Response.json(fields, { status: isError ? 400 : status });
}

/** Returns an error code that is safe to log. Codes of RFC 6749 are words; a provider may send anything else. */
export function codeOf({ error }: Refusal): string {
  return /^[a-z_]{1,40}$/.test(error) ? error : 'other';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function without(parameters: URLSearchParams, name: string): URLSearchParams {
  const others = new URLSearchParams(parameters);
  others.delete(name);
  return others;
}

function asUnavailable({ provider }: TokenParty, cause: unknown): Error {
  const host = hostOf(provider.tokenEndpoint);
  return createError('unavailable', `The sign-in of ${host} returned an invalid response. Try again later.`, { cause });
}
