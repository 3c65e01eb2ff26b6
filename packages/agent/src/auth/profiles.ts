import type { AuthContext, User } from '@berth/agent-core';
import { describeError } from '@berth/kit';
import type { JWTPayload } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
import { askProvider, type Endpoint, type Fetch } from './provider-requests.ts';
import { createTokenCache } from './token-cache.ts';

/** Options of {@link createProfiles}. */
export interface ProfilesOptions {
  readonly claims?: ClaimMapping | undefined;
  readonly fetch?: Fetch | undefined;
  /** Returns the address of an endpoint of the provider. */
  findEndpoint(endpoint: Endpoint): Promise<string>;
}

/** The fields that userinfo may add. Ids and roles come from the token alone: they must not depend on a second answer. */
type Profile = Pick<User, 'name' | 'email' | 'picture'>;

/** How long a profile counts. */
const KEEP_MS = 5 * 60_000;
/** How long a failure counts. Tokens for a resource of their own are refused by userinfo every time. */
const KEEP_FAILURE_MS = 60_000;

/** Completes users with their profiles. */
export type Profiles = ReturnType<typeof createProfiles>;

/** Creates what requests names, e-mail addresses and pictures that tokens lack. Source: OpenID Connect Core 1.0, section 5.3. */
export function createProfiles(
  { claims: mapping, fetch, findEndpoint }: ProfilesOptions,
  { clock, logger }: AuthContext,
) {
  const cache = createTokenCache<Profile>(clock);
  const read = async (user: User, token: string): Promise<Profile> => {
    const url = await findEndpoint('userinfo_endpoint');
    const { status, document } = await askProvider(url, { fetch, headers: { authorization: `Bearer ${token}` } });
    if (status !== 200 || !document) throw new Error(`${url} answered ${status}`);
    const { id, name, email, picture } = toUser(document as JWTPayload, mapping);
    // Section 5.3.2: the answer may be about another person after a token was mixed up.
    if (id !== user.id) throw new Error(`${url} answered about another user`);
    return { ...(name && { name }), ...(email && { email }), ...(picture && { picture }) };
  };
  return {
    /** Returns the user with the fields that the token lacks, as far as the provider tells them. Never fails. */
    async complete(user: User, payload: JWTPayload, token: string): Promise<User> {
      if (!lacksProfile(user, payload)) return user;
      const profile = await cache(token, async () => {
        const leftMs = (payload.exp ?? Number.POSITIVE_INFINITY) * 1_000 - clock.nowMs();
        try {
          return { value: await read(user, token), keepMs: Math.min(KEEP_MS, leftMs) };
        } catch (error) {
          logger.warn({ user: user.id, error: describeError(error) }, 'the identity provider returned no userinfo');
          return { value: {}, keepMs: Math.min(KEEP_FAILURE_MS, leftMs) };
        }
      });
      return { ...profile, ...user };
    },
  };
}

/** Reports whether a token lacks a name or address that its scope allows to read. */
function lacksProfile({ name, email }: User, { scope, scp }: JWTPayload): boolean {
  // `scp` is Microsoft's and Okta's name of the claim.
  const scopes = [scope ?? scp].flat().flatMap((text) => (typeof text === 'string' ? text.split(' ') : []));
  if (!scopes.includes('openid')) return false;
  return (name === undefined && scopes.includes('profile')) || (email === undefined && scopes.includes('email'));
}
