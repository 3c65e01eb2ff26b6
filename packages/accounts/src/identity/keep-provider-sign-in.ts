import { BerthError } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import { IDENTITY_PATHS, type IdentityDeps } from './identity-deps.ts';

/** Keeps who signed in with an outside provider on the way to an agent, so that the way goes on without a question. */
export async function keepProviderSignIn(
  c: ApiContext,
  { authenticate, sessions, cookies }: Pick<IdentityDeps, 'authenticate' | 'sessions' | 'cookies'>,
  { token, returnTo }: { readonly token: string; readonly returnTo: string },
): Promise<void> {
  if (!returnTo.startsWith(`${IDENTITY_PATHS.authorize}?`)) return;
  try {
    const principal = await authenticate(new Headers({ authorization: `Bearer ${token}` }));
    cookies.setSession(c, await sessions.create(principal, { kind: 'password', sessionToken: token }));
  } catch (error) {
    // Whoever belongs to no account has no claims to give; the sign-in page is where they come back to.
    if (!BerthError.is(error, 'forbidden')) throw error;
  }
}
