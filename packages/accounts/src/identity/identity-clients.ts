import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** Who may ask the provider for somebody's identity: a deployment, or a program on the person's own machine. */
export interface IdentityClient {
  /** The deployment's name, or {@link LOCAL_CLIENT_ID}. */
  readonly id: string;
  /** Whose deployment it is; undefined for a program on the person's machine. */
  readonly accountId: AccountId | undefined;
  /**
   * The address to send the person back to, as it is written in `Location`; undefined when this client may not have them
   * sent there.
   */
  readonly redirectTo: (uri: string) => URL | undefined;
}

/** A client while it is developed. No deployment can be named so. */
export const LOCAL_CLIENT_ID = 'http://localhost';

/** Source: RFC 8252 sections 7.3 and 8.3, and `localhost`, which browsers keep on the machine. */
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Finds clients; which addresses are theirs is what the platform serves them at. */
export interface IdentityClients {
  find(id: string): Promise<IdentityClient | undefined>;
}

export interface IdentityClientsOptions {
  readonly db: Kysely<Database>;
  /** Where people sign in; nobody is sent back there. */
  readonly issuer: string;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

export function createIdentityClients({ db, issuer, urlOf }: IdentityClientsOptions): IdentityClients {
  return {
    async find(id) {
      if (id === LOCAL_CLIENT_ID) {
        const isOwn = (url: URL) =>
          url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname) && url.origin !== new URL(issuer).origin;
        return { id, accountId: undefined, redirectTo: (uri) => parseRedirect(uri, isOwn) };
      }
      const deployment = await db
        .selectFrom('deployments')
        .select('account_id')
        .where('name', '=', id)
        .where('status', 'not in', ['reserved', 'deleting'])
        .executeTakeFirst();
      if (!deployment) return undefined;
      const domains = await db
        .selectFrom('domains')
        .select('domain')
        .where('account_id', '=', deployment.account_id)
        .where('deployment', '=', id)
        .where('status', '=', 'active')
        .execute();
      const own = new URL(urlOf(id));
      const origins = new Set([own.origin]);
      for (const { domain } of domains) {
        origins.add(`https://${domain}`);
        // Where the platform itself is served without TLS, so are its custom domains.
        if (own.protocol === 'http:') origins.add(new URL(`http://${domain}:${own.port}`).origin);
      }
      const isOwn = (url: URL) => origins.has(url.origin);
      return { id, accountId: deployment.account_id as AccountId, redirectTo: (uri) => parseRedirect(uri, isOwn) };
    },
  };
}

/** RFC 6749 section 3.1.2: absolute, and without a fragment. */
function parseRedirect(uri: string, isOwn: (url: URL) => boolean): URL | undefined {
  if (!URL.canParse(uri) || uri.includes('#')) return undefined;
  const url = new URL(uri);
  return url.username === '' && url.password === '' && isOwn(url) ? url : undefined;
}
