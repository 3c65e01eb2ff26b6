import type { OAuthClientStore } from '@berth/agent-store';
import { type Clock, createSingleFlight, type Logger } from '@berth/kit';
import { z } from 'zod';
import type { OAuthAuth } from '../connector/connector.ts';
import type { SecretRing } from '../credentials/create-secret-ring.ts';
import { clientAddresses } from './agent-address.ts';
import { clientMetadata, isReadableFromOutside } from './client-document.ts';
import { unusable } from './find-provider.ts';
import type { ClientAuthentication, OAuthClient, Provider } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** Dependencies of {@link createClientChooser}. */
export interface ClientChooserDeps {
  readonly clients: OAuthClientStore;
  readonly secrets: SecretRing;
  readonly ask: ProviderFetch;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Client name that the provider shows to users. */
  readonly agentTitle: string;
}

/** The connector and provider that {@link createClientChooser} chooses a client for. */
export interface ClientChoice {
  readonly connector: string;
  readonly auth: OAuthAuth;
  readonly provider: Provider;
  /** The agent's origin. */
  readonly origin: string;
  /** The redirect URI of a dynamic registration; see `AgentAddress`. */
  readonly registrationUri: string;
}

/** A client, and the redirect URI that the provider knows it by. */
export interface ChosenClient {
  readonly client: OAuthClient;
  readonly redirectUri: string;
}

const registrationSchema = z.object({
  client_id: z.string().min(1),
  client_secret: z.string().optional(),
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
});
type Registration = z.infer<typeof registrationSchema>;

/** A registration that expires during the authorization would be useless. */
const MIN_LIFE_SECONDS = 3_600;
/**
 * Maximum age of a registration. Providers drop clients silently and show an error page of their own to a dropped one.
 */
const MAX_AGE_MS = 30 * 86_400_000;

/** Creates the chooser of the OAuth client that the agent uses at a provider. */
export function createClientChooser({ clients, secrets, ask, clock, logger, agentTitle }: ClientChooserDeps) {
  const box = secrets.box('oauth client');
  const flights = createSingleFlight<Registration>();

  const find = async (id: string): Promise<Registration | undefined> => {
    const stored = await clients.find(id);
    const text = stored && box.open(stored.sealed, [id]);
    const registration = text === undefined ? undefined : registrationSchema.parse(JSON.parse(text));
    const endSeconds = registration?.client_secret_expires_at || Number.POSITIVE_INFINITY;
    const isYoung = stored !== undefined && stored.createdAtMs + MAX_AGE_MS > clock.nowMs();
    if (registration && isYoung && endSeconds > clock.nowMs() / 1_000 + MIN_LIFE_SECONDS) return registration;
    if (stored) await clients.remove(id, stored.sealed);
    return undefined;
  };

  const register = async (id: string, endpoint: string, metadata: object): Promise<Registration> => {
    const response = await ask(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(metadata),
    });
    const body: unknown = await response.json().catch(() => undefined);
    const parsed = registrationSchema.safeParse(response.ok ? body : undefined);
    if (!parsed.success) {
      const fields = { endpoint, status: response.status, ...reasonOf(body), metadata };
      logger.warn(fields, 'a provider did not register the agent');
      throw unusable(
        endpoint,
        "it did not register the agent; see the agent's log. The agent's owner can register it manually and declare its clientId",
      );
    }
    const sealed = box.seal(JSON.stringify(parsed.data), [id]);
    const kept = await clients.add({ id, sealed, createdAtMs: clock.nowMs() });
    // Another instance may have registered a client first.
    return kept.sealed === sealed ? parsed.data : ((await find(id)) ?? parsed.data);
  };

  return {
    /**
     * Returns the client: the one that the owner registered, else the one that the client metadata document describes,
     * else one that the provider registers dynamically. Source: Model Context Protocol, "Client Registration Approaches".
     * @throws `unavailable` with a message for users, when the provider accepts none of them.
     */
    async choose({ connector, auth, provider, origin, registrationUri }: ClientChoice): Promise<ChosenClient> {
      const { redirectUri, documentUrl } = clientAddresses(origin, connector);
      if (auth.clientId !== undefined) return { client: declaredClient(auth, auth.clientId), redirectUri };
      if (provider.takesClientDocuments && isReadableFromOutside(origin)) {
        return { client: { clientId: documentUrl, authentication: 'none', origin: 'document' }, redirectUri };
      }
      const { registrationEndpoint, clientAuthentications } = provider;
      if (registrationEndpoint === undefined) {
        const message = `it does not support dynamic client registration. The agent's owner must register it at ${hostOf(provider.tokenEndpoint)} with the URL ${redirectUri} and declare its clientId`;
        throw unusable(provider.tokenEndpoint, message);
      }
      const id = registrationIdOf(provider, registrationUri);
      const wanted = wantedMethod(clientAuthentications);
      const metadata = { ...clientMetadata(origin, registrationUri, agentTitle), token_endpoint_auth_method: wanted };
      const registration = await flights.run(
        id,
        async () => (await find(id)) ?? (await register(id, registrationEndpoint, metadata)),
      );
      const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = registration;
      const client: OAuthClient = {
        clientId,
        ...(clientSecret !== undefined && { clientSecret }),
        authentication: authenticationOf(method ?? wanted, clientSecret),
        origin: 'registered',
        registrationId: id,
      };
      return { client, redirectUri: registrationUri };
    },
  };
}

/** Longest part of a provider's text in the log. */
const MAX_REASON = 500;

/** Returns the fields of an error response for the log. Source: RFC 7591, 3.2.2. */
function reasonOf(body: unknown): { readonly error?: string; readonly errorDescription?: string } {
  const { error, error_description: description } = Object(body) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof error === 'string' && { error: error.slice(0, MAX_REASON) }),
    ...(typeof description === 'string' && { errorDescription: description.slice(0, MAX_REASON) }),
  };
}

/** Deletes a registration that the provider no longer accepts. The next authorization registers a new client. */
export async function forgetClient(clients: OAuthClientStore, { registrationId }: OAuthClient): Promise<void> {
  const stored = registrationId === undefined ? undefined : await clients.find(registrationId);
  if (stored) await clients.remove(stored.id, stored.sealed);
}

/**
 * Returns the client that the owner declared. A secret is sent with Basic authentication unless the provider wants it
 * in the form. Source: RFC 6749, 2.3.1.
 */
export function declaredClient(auth: OAuthAuth, clientId: string): OAuthClient {
  const authentication = auth.clientSecret === undefined ? 'none' : (auth.clientAuthentication ?? 'basic');
  return { clientId, authentication, origin: 'declared' };
}

/** Returns the id of a registration, which is specific to one issuer: no other issuer receives it. */
function registrationIdOf(
  { issuer, tokenEndpoint }: Pick<Provider, 'issuer' | 'tokenEndpoint'>,
  redirectUri: string,
): string {
  return JSON.stringify([issuer ?? tokenEndpoint, tokenEndpoint, redirectUri]);
}

/**
 * Returns the preferred authentication method: none if the provider accepts that, since then no secret can leak. A
 * provider that lists no methods accepts Basic. Source: RFC 8414, 2.
 */
function wantedMethod(offered: readonly string[] = ['client_secret_basic']): string {
  const known = ['none', 'client_secret_basic', 'client_secret_post'];
  return known.find((method) => offered.includes(method)) ?? 'none';
}

function authenticationOf(method: string, secret: string | undefined): ClientAuthentication {
  if (secret === undefined || method === 'none') return 'none';
  return method === 'client_secret_post' ? 'post' : 'basic';
}
