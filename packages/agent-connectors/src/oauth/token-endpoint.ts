import { createError } from '@berth/contract';
import * as oauth from 'oauth4webapi';
import type { OAuthClient, Provider } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** What a provider gave. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Undefined when it does not say. */
  readonly lifeSeconds?: number;
}

/** The provider said no; `error` is of its making, e.g. `invalid_grant`, and nothing to be shown. */
export interface Refusal {
  readonly error: string;
}

/** Whom the token endpoint is asked as; `clientSecret` is the owner's where the client is the owner's. */
export interface TokenParty {
  readonly provider: Pick<Provider, 'issuer' | 'tokenEndpoint' | 'revocationEndpoint' | 'resource' | 'isIssuerSent'>;
  readonly client: Pick<OAuthClient, 'clientId' | 'authentication'>;
  readonly clientSecret: string | undefined;
}

export interface CodeExchange extends TokenParty {
  /** Query of the callback. */
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** What is asked of providers besides consent. All throw `unavailable` when there is no answer that can be read. */
export interface TokenEndpoint {
  /** Also a refusal: an answer of somebody else than the issuer, or one that says that the person declined. */
  exchange(exchange: CodeExchange): Promise<Tokens | Refusal>;
  renew(party: TokenParty, refreshToken: string): Promise<Tokens | Refusal>;
  revoke(party: TokenParty, token: string): Promise<void>;
}

/** Visible ASCII. Source: RFC 6749, A.12, without the space, which headers lose at their ends. */
const SENDABLE = /^[\x21-\x7e]+$/;

export function createTokenEndpoint(ask: ProviderFetch): TokenEndpoint {
  const optionsOf = ({ provider }: TokenParty) => ({
    // Which addresses may be asked without TLS is decided where requests go out.
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
      // The same checks are right for the answer to a code: without OpenID Connect they don't differ.
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
    exchange: async (exchange) => {
      let parameters: URLSearchParams;
      try {
        parameters = oauth.validateAuthResponse(
          serverOf(exchange),
          { client_id: exchange.client.clientId },
          // Without a known issuer there is nothing to compare it with; the callback's address is of this connector alone.
          exchange.provider.issuer === undefined ? without(exchange.parameters, 'iss') : exchange.parameters,
          // It was opened and used up before.
          oauth.skipStateCheck,
        );
      } catch (error) {
        return { error: error instanceof oauth.AuthorizationResponseError ? error.error : 'invalid_response' };
      }
      const { redirectUri, verifier } = exchange;
      return request(exchange, (server, client) =>
        oauth.authorizationCodeGrantRequest(
          ...([server, client, authenticationOf(exchange), parameters, redirectUri, verifier] as const),
          optionsOf(exchange),
        ),
      );
    },
    renew: (party, refreshToken) =>
      request(party, (server, client) =>
        oauth.refreshTokenGrantRequest(server, client, authenticationOf(party), refreshToken, optionsOf(party)),
      ),
    async revoke(party, token) {
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
 * The answer as RFC 6749 has it, of providers that are a little off: a type of token is missing, an error comes as 200, fields
 * are null. Who signed in (`id_token`) is no matter of a connector's.
 */
async function conformed(response: Response): Promise<Response> {
  const text = await response.text();
  const { status } = response;
  const body = parseObject(text);
  if (!body) return new Response(text === '' ? null : text, { status });
  // Neither what it calls its JSON is passed on, nor a challenge, which would hide the error in the body.
  const { id_token: _, ...fields } = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  if (typeof fields['access_token'] === 'string') return Response.json({ token_type: 'bearer', ...fields }, { status });
  const isError = response.ok && typeof fields['error'] === 'string';
  return Response.json(fields, { status: isError ? 400 : status });
}

/** For the log: codes of RFC 6749 are words; whatever else a provider says may be anything. */
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
  return createError('unavailable', `The sign-in of ${host} gives no answer of use. Try again later.`, { cause });
}
