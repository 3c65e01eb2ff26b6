import { createError, type OwnIdentities, type SignInProblem, type SignInWay } from '@berth/contract';
import type { Database } from '@berth/database';
import { BerthError, type Logger } from '@berth/kit';
import type { Kysely } from 'kysely';
import { type AuditSource, auditPerson, type ServiceDeps } from '../audit/audit-log.ts';
import type { ApiContext } from '../http/api.ts';
import type { Invites } from '../members/invites.ts';
import { countWaysToSignIn, issuerKey, PASSWORD_PROVIDER } from '../people/ways-to-sign-in.ts';
import type { SessionPlace } from '../sessions/session-place.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import { createOidcClient, type OidcClient } from './oidc-client.ts';
import { createOidcFlows, type OidcFlow, ownPath } from './oidc-flow.ts';
import { createOidcPeople } from './oidc-people.ts';
import type { OidcProvider } from './parse-oidc-providers.ts';
import { SignInRefusal } from './sign-in-refusal.ts';

/** The outcome of a browser's return from a provider. */
export type OidcOutcome =
  | { readonly kind: 'signed-in'; readonly returnTo: string; readonly signedIn: NewSession }
  /** The identity is linked; the person stays signed in. */
  | { readonly kind: 'linked'; readonly returnTo: string }
  | {
      readonly kind: 'refused';
      readonly problem: SignInProblem /** Where the sign-in began, when that can be told. */;
      readonly flow?: OidcFlow;
    };

/** Called with the response to a successful sign-in, before the redirect to `returnTo`. */
export type AfterOidcSignIn = (
  c: ApiContext,
  signIn: { readonly token: string; readonly returnTo: string },
) => Promise<void>;

/** Sign-in with the outside providers that the operator set. */
export interface OidcSignIn {
  /** Listeners that set further cookies after a sign-in. */
  readonly after: Set<AfterOidcSignIn>;
  readonly ways: readonly SignInWay[];
  /** Sets the browser's cookie and returns the provider's address. @throws `not_found` for an unknown provider; SignInRefusal */
  begin(c: ApiContext, flow: OidcFlow): Promise<URL>;
  /** Processes the provider's answer. */
  finish(c: ApiContext, answer: URLSearchParams, place: SessionPlace): Promise<OidcOutcome>;
  list(userId: string): Promise<OwnIdentities>;
  /** @throws `not_found`; `conflict` for the person's only way to sign in */
  unlink(userId: string, id: string, source: AuditSource): Promise<void>;
}

export interface CreateOidcSignInOptions extends ServiceDeps {
  readonly logger: Logger;
  readonly sessions: Pick<Sessions, 'create'>;
  readonly invites: Pick<Invites, 'admit'>;
  readonly authSecret: string;
  readonly otherAuthSecrets?: readonly string[];
  readonly baseUrl: string;
  readonly providers: readonly OidcProvider[];
}

/** The redirect address, which must be registered with the provider. */
export const OIDC_CALLBACK_PATH = '/v1/auth/oidc/callback';

/** The path that begins a sign-in. */
export const OIDC_START_PATH = '/v1/auth/oidc/start';

export function createOidcSignIn(options: CreateOidcSignInOptions): OidcSignIn {
  const { db, clock, logger, audit, sessions, baseUrl, providers } = options;
  const flows = createOidcFlows(options);
  const people = createOidcPeople(options);
  const redirectUri = new URL(OIDC_CALLBACK_PATH, baseUrl).href;
  const clients = new Map<string, { readonly provider: OidcProvider; readonly client: OidcClient }>(
    providers.map((provider) => [
      provider.id,
      { provider, client: createOidcClient({ provider, redirectUri, clock }) },
    ]),
  );
  const get = (id: string) => {
    const found = clients.get(id);
    if (!found) throw createError('not_found', `This platform offers no sign-in with "${id}".`);
    return found;
  };

  const arrive = async (
    c: ApiContext,
    answer: URLSearchParams,
    place: SessionPlace,
    note: (flow: OidcFlow) => void,
  ) => {
    const state = answer.get('state') ?? '';
    const { flow, secrets } = flows.resume(c, state);
    note(flow);
    const found = clients.get(flow.provider);
    if (!found) throw new SignInRefusal('not_offered');
    const claims = await found.client.redeem(answer, secrets);
    const arrival = { provider: found.provider, claims, purpose: flow.purpose, requestId: c.get('requestId') };
    return db.transaction().execute(async (transaction): Promise<OidcOutcome> => {
      const user = await people.admit(arrival, transaction);
      if (flow.purpose.kind === 'link') return { kind: 'linked', returnTo: flow.returnTo };
      const token = await sessions.create(user.id, place, transaction);
      return { kind: 'signed-in', returnTo: flow.returnTo, signedIn: { token, user } };
    });
  };

  return {
    after: new Set(),
    ways: providers.map(({ id, name }) => ({ kind: 'oidc', id, name })),

    async begin(c, flow) {
      const { client } = get(flow.provider);
      return client.authorizationUrl(flows.begin(c, { ...flow, returnTo: ownPath(flow.returnTo) }));
    },

    async finish(c, answer, place) {
      let flow: OidcFlow | undefined;
      try {
        return await arrive(c, answer, place, (found) => {
          flow = found;
        });
      } catch (error) {
        if (!(error instanceof SignInRefusal)) throw error;
        const { problem, cause } = error;
        const reason = reasonOf(cause);
        logger.warn({ problem, provider: flow?.provider, reason }, 'a sign-in with a provider failed');
        return { kind: 'refused', problem, ...(flow && { flow }) };
      }
    },

    async list(userId) {
      const rows = await credentialsOf(db, userId).orderBy('created_at').execute();
      const identities = rows.filter(({ provider_id }) => provider_id !== PASSWORD_PROVIDER);
      return {
        has_password: rows.length > identities.length,
        identities: identities.map(({ id, provider_id: issuer, created_at }) => {
          const provider = providers.find((one) => issuerKey(one.issuer) === issuer);
          const name = provider?.name ?? new URL(issuer).host;
          return { id, issuer, name, provider: provider?.id ?? null, created_at: new Date(created_at).toISOString() };
        }),
      };
    },

    unlink: (userId, id, source) =>
      db.transaction().execute(async (transaction) => {
        const row = await credentialsOf(transaction, userId).where('id', '=', id).executeTakeFirst();
        if (!row || row.provider_id === PASSWORD_PROVIDER)
          throw createError('not_found', 'You have no such sign-in method.');
        await transaction.deleteFrom('auth_accounts').where('id', '=', id).execute();
        if ((await countWaysToSignIn(userId, transaction, providers)) === 0) {
          throw createError(
            'conflict',
            'This is your only sign-in method. Add a passkey or connect another provider first.',
          );
        }
        const record = {
          ...source,
          action: 'identity.unlink' as const,
          target: userId,
          details: { issuer: row.provider_id },
        };
        await auditPerson(audit, userId, record, transaction);
      }),
  };
}

/** The code to show for an error of {@link OidcSignIn.begin}; undefined for an unexpected error. */
export function problemOf(error: unknown): SignInProblem | undefined {
  if (error instanceof SignInRefusal) return error.problem;
  return BerthError.is(error, 'not_found') ? 'not_offered' : undefined;
}

/** For the log: our library's words, and a provider's code where it is a word; what else a provider says may be anything. */
function reasonOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = 'error' in cause && typeof cause.error === 'string' && /^[a-z_]{1,40}$/.test(cause.error);
  return code ? `${cause.message}: ${cause.error}` : cause.message;
}

function credentialsOf(from: Kysely<Database>, userId: string) {
  return from.selectFrom('auth_accounts').select(['id', 'provider_id', 'created_at']).where('user_id', '=', userId);
}
