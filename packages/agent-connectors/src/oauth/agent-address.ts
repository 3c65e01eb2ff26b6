import { type AgentAppContext, publicOrigin } from '@berth/agent-core';
import { createError } from '@berth/contract';

/** The hosts that providers accept in redirect URIs without TLS. Source: OpenID Connect Dynamic Client Registration, 2. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Reports whether an origin is a loopback address. */
function isLoopback(origin: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);
}

/** The public URLs of a connector's OAuth client. */
export interface ClientAddresses {
  /** Redirect URI. */
  readonly redirectUri: string;
  /** URL of the client metadata document, which is also the client id. */
  readonly documentUrl: string;
}

/** Returns the URLs of a connector's client. @param origin the agent's origin, without a trailing slash. */
export function clientAddresses(origin: string, connector: string): ClientAddresses {
  const base = `${origin}/connectors/${connector}`;
  return { redirectUri: `${base}/callback`, documentUrl: `${base}/client.json` };
}

/** The agent's public origin, to which providers redirect users after consent. */
export type AgentAddress = ReturnType<typeof createAgentAddress>;

/**
 * Reads the allowed origins from the environment.
 * @throws `invalid` when `BERTH_AGENT_ORIGIN` contains a value that isn't an origin.
 */
export function createAgentAddress(environment: Readonly<Record<string, string | undefined>>) {
  const declared = (environment['BERTH_AGENT_ORIGIN'] ?? '').split(',').filter((text) => text.trim() !== '');
  const origins = declared.map((text) => {
    const url = URL.parse(text.trim());
    if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '') return url.origin;
    throw createError('invalid', `BERTH_AGENT_ORIGIN: "${text}" is not an origin such as https://agent.example.com`);
  });
  const { K_SERVICE: service, BERTH_ISSUER: platform = '' } = environment;
  const isBehindGateway = service !== undefined;
  const isPlatformLocal = LOOPBACK_HOSTS.includes(URL.parse(platform)?.hostname ?? '');
  return {
    /**
     * Returns the redirect URI for a connector's dynamic registrations. On a developer's machine the platform serves
     * agents at `<name>.localhost`, which providers refuse: they accept https and `localhost` only (Model Context Protocol,
     * "Authorization", "Communication Security"). The platform's own address is `localhost`, and passes callbacks on.
     */
    registrationUri(origin: string, connector: string): string {
      const isNameOfThisMachine = isLoopback(origin) && !LOOPBACK_HOSTS.includes(new URL(origin).hostname);
      return isNameOfThisMachine && isBehindGateway && isPlatformLocal
        ? `${platform}/oauth2/connectors/${service}/${connector}`
        : clientAddresses(origin, connector).redirectUri;
    },
    /**
     * Returns the agent's origin as the caller wrote it. The redirect URI contains it, so it must not be forged: with a
     * false origin, an attacker could intercept another user's consent. It is trusted behind the platform's gateway,
     * which admits only the service's own host names; on loopback; and when `BERTH_AGENT_ORIGIN` lists it.
     * @throws `bad_request` naming the variable to set.
     */
    of(c: AgentAppContext): string {
      const origin = publicOrigin(c);
      if (origins.length > 0) return origins.includes(origin) ? origin : (origins[0] as string);
      if (isBehindGateway || isLoopback(origin)) return origin;
      throw createError(
        'bad_request',
        `The agent does not know that ${origin} is its URL. Start it with BERTH_AGENT_ORIGIN=${origin} to let people connect.`,
      );
    },
  };
}
