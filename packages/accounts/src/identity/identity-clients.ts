import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';

/** A client of the identity provider: a deployment, or a program on the person's own machine. */
export interface IdentityClient {
  /** The deployment's name, or {@link LOCAL_CLIENT_ID}. */
  readonly id: string;
  /** The owner of the deployment; undefined for a program on the person's machine. */
  readonly accountId: AccountId | undefined;
  /**
   * Returns the address to redirect the person to, as written in `Location`; undefined when `uri` does not belong to
   * this client.
   */
  readonly redirectTo: (uri: string) => URL | undefined;
}

/** The client id of programs under development. No deployment can have this name. */
export const LOCAL_CLIENT_ID = 'http://localhost';

/** Hosts on the person's own machine. Source: RFC 8252 sections 7.3 and 8.3; browsers resolve `localhost` locally. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Finds clients. A deployment's redirect addresses are those that the platform serves it at. */
export type IdentityClients = ReturnType<typeof createIdentityClients>;

export interface IdentityClientsOptions {
  readonly db: Kysely<Database>;
  /** The provider's own address, which is never a redirect target. */
  readonly issuer: string;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

export function createIdentityClients({ db, issuer, urlOf }: IdentityClientsOptions) {
  return {
    async find(id: string): Promise<IdentityClient | undefined> {
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
        // A platform served without TLS serves custom domains without TLS too.
        if (own.protocol === 'http:') origins.add(new URL(`http://${domain}:${own.port}`).origin);
      }
      const isOwn = (url: URL) => origins.has(url.origin);
      return { id, accountId: deployment.account_id as AccountId, redirectTo: (uri) => parseRedirect(uri, isOwn) };
    },
  };
}

/** Parses a redirect address: absolute and without a fragment (RFC 6749 section 3.1.2). */
function parseRedirect(uri: string, isOwn: (url: URL) => boolean): URL | undefined {
  if (!URL.canParse(uri) || uri.includes('#')) return undefined;
  const url = new URL(uri);
  return url.username === '' && url.password === '' && isOwn(url) ? url : undefined;
}
