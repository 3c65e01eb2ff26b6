import type { SignInProblem } from '@berth/contract';
import type { Clock } from '@berth/kit';
import * as oauth from 'oauth4webapi';
import { issuerKey } from '../people/ways-to-sign-in.ts';
import type { OidcProvider } from './parse-oidc-providers.ts';
import { SignInRefusal } from './sign-in-refusal.ts';

/** The identity that a provider asserts. */
export interface OidcClaims {
  /** Identifies the person, together with {@link subject}. */
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; set only when the provider, or the operator for it, says that it is verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
}

/** The secrets that bind the two ends of a sign-in. */
export interface OidcSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A client of one provider: authorization code, PKCE, nonce, `iss` (OpenID Connect Core 1.0, RFC 7636, RFC 9207). */
export type OidcClient = ReturnType<typeof createOidcClient>;

export interface CreateOidcClientOptions {
  readonly provider: OidcProvider;
  readonly redirectUri: string;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;
/** How long the provider's metadata are cached. */
const METADATA_MS = 60 * 60 * 1_000;
/** Tolerated clock skew. */
const LEEWAY_SECONDS = 30;

export function createOidcClient({ provider, redirectUri, clock }: CreateOidcClientOptions) {
  const { issuer, client_id, client_secret, scope, trust_email } = provider;
  const options = () => ({
    // Only for an issuer on this machine, see `isSafe`.
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  });
  let server: { readonly metadata: Promise<oauth.AuthorizationServer>; readonly atMs: number } | undefined;
  const discover = async () => {
    const url = new URL(issuer);
    return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options()));
  };
  const findServer = (): Promise<oauth.AuthorizationServer> => {
    const nowMs = clock.monotonicMs();
    if (server && nowMs - server.atMs < METADATA_MS) return server.metadata;
    const metadata = discover();
    const asked = { metadata, atMs: nowMs };
    server = asked;
    metadata.catch(() => {
      if (server === asked) server = undefined;
    });
    return metadata;
  };
  const client = (): oauth.Client => ({
    client_id,
    [oauth.clockSkew]: Math.round((clock.nowMs() - Date.now()) / 1_000),
    [oauth.clockTolerance]: LEEWAY_SECONDS,
  });
  const authenticationFor = ({ token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer) => {
    if (client_secret === undefined) return oauth.None();
    const isPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
    return isPost ? oauth.ClientSecretPost(client_secret) : oauth.ClientSecretBasic(client_secret);
  };

  /** Returns the token's claims, completed by the user info endpoint, which some providers need. */
  const readClaims = async (as: oauth.AuthorizationServer, tokens: oauth.TokenEndpointResponse) => {
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (!claims) throw new SignInRefusal('refused');
    if (claims['email'] !== undefined || as.userinfo_endpoint === undefined) return claims;
    const response = await oauth.userInfoRequest(as, client(), tokens.access_token, options());
    return { ...(await oauth.processUserInfoResponse(as, client(), claims.sub, response)), ...claims };
  };

  return {
    /** Returns the provider's address to redirect the browser to. @throws SignInRefusal `unavailable` */
    authorizationUrl: (secrets: OidcSecrets): Promise<URL> =>
      asRefusal('unavailable', async () => {
        const { authorization_endpoint } = await findServer();
        const url = new URL(authorization_endpoint as string);
        const parameters = {
          client_id,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope,
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge_method: 'S256',
          code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
        };
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
        return url;
      }),
    /**
     * Returns the identity in the provider's answer, after checking the ID token's signature, issuer, audience, nonce and times.
     * @throws SignInRefusal `declined`, `refused`, `unavailable`
     */
    redeem: (answer: URLSearchParams, { state, nonce, verifier }: OidcSecrets): Promise<OidcClaims> =>
      asRefusal('refused', async () => {
        const as = await findServer();
        const parameters = oauth.validateAuthResponse(as, client(), answer, state);
        const grant = [as, client(), authenticationFor(as), parameters, redirectUri, verifier] as const;
        const response = await oauth.authorizationCodeGrantRequest(...grant, options());
        const tokens = await oauth.processAuthorizationCodeResponse(as, client(), response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(as, response, options());
        const { sub, email, email_verified, name } = await readClaims(as, tokens);
        const isVerified = email_verified === true || email_verified === 'true' || trust_email;
        return {
          issuer: issuerKey(as.issuer),
          subject: sub,
          email: typeof email === 'string' && isVerified ? email.toLowerCase() : undefined,
          name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : undefined,
        };
      }),
  };
}

/** Maps an error to a refusal: `wrong` when the provider's answer is invalid. */
async function asRefusal<Value>(wrong: SignInProblem, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SignInRefusal) throw cause;
    if (cause instanceof oauth.AuthorizationResponseError) {
      throw new SignInRefusal(cause.error === 'access_denied' ? 'declined' : 'refused', cause);
    }
    const isAnswered = cause instanceof oauth.OperationProcessingError || cause instanceof oauth.ResponseBodyError;
    throw new SignInRefusal(isAnswered && statusOf(cause) < 500 ? wrong : 'unavailable', cause);
  }
}

/** The status of the answer that an error is about; 0 when it is about none. `Response` has several classes: a server library has its own. */
function statusOf(error: oauth.OperationProcessingError | oauth.ResponseBodyError): number {
  const { status } = error instanceof oauth.ResponseBodyError ? error : ((error.cause ?? {}) as { status?: unknown });
  return typeof status === 'number' ? status : 0;
}
