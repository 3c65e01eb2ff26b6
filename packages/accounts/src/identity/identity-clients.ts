import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { LOOPBACK_HOSTS } from './loopback-hosts.ts';
import { findRedirect, parseClientId } from './registered-client.ts';

/** A client of the identity provider: a deployment, a program on the person's own machine, or one that registered itself. */
export interface IdentityClient {
  /** The deployment's name, {@link LOCAL_CLIENT_ID}, or the id of a registered client. */
  readonly id: string;
  /** The name that people are shown. */
  readonly title: string;
  /** The owner of the deployment; undefined for other clients. */
  readonly accountId: AccountId | undefined;
  /** The audience of a registered client's tokens: the MCP server. Tokens of other clients are for the client itself. */
  readonly resource?: string;
  /**
   * Returns the address to redirect the person to, as written in `Location`; undefined when `uri` does not belong to
   * this client.
   */
  readonly redirectTo: (uri: string) => URL | undefined;
}

/** The client id of programs under development. No deployment can have this name. */
export const LOCAL_CLIENT_ID = 'http://localhost';

/** Finds clients. A deployment's redirect addresses are those that the platform serves it at. */
export type IdentityClients = ReturnType<typeof createIdentityClients>;

export interface IdentityClientsOptions {
  readonly db: Kysely<Database>;
  /** The provider's own address, which is never a redirect target. */
  readonly issuer: string;
  /** The address of the MCP server. */
  readonly resource: string;
  /** The address of a deployment under the platform's own domain. */
  urlOf(deployment: string): string;
}

export function createIdentityClients({ db, issuer, resource, urlOf }: IdentityClientsOptions) {
  return {
    async find(id: string): Promise<IdentityClient | undefined> {
      if (id === LOCAL_CLIENT_ID) {
        const isOwn = (url: URL) =>
          url.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname) && url.origin !== new URL(issuer).origin;
        return { id, title: id, accountId: undefined, redirectTo: (uri) => parseRedirect(uri, isOwn) };
      }
      const registered = parseClientId(id, issuer);
      if (registered) {
        const redirectTo = (uri: string) => findRedirect(registered, uri, issuer);
        return { id, title: registered.name, accountId: undefined, resource, redirectTo };
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
      const accountId = deployment.account_id as AccountId;
      return { id, title: id, accountId, redirectTo: (uri) => parseRedirect(uri, isOwn) };
    },
  };
}

/** Parses a redirect address: absolute and without a fragment (RFC 6749 section 3.1.2). */
function parseRedirect(uri: string, isOwn: (url: URL) => boolean): URL | undefined {
  if (!URL.canParse(uri) || uri.includes('#')) return undefined;
  const url = new URL(uri);
  return url.username === '' && url.password === '' && isOwn(url) ? url : undefined;
}
