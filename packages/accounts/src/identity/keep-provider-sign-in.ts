import { BerthError } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import { IDENTITY_PATHS, type IdentityDeps } from './identity-deps.ts';

/** Signs a browser in at the identity provider after it signed in with an outside provider on its way to an agent. */
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
    // A person without an account has no claims. They are shown the sign-in page again.
    if (!BerthError.is(error, 'forbidden')) throw error;
  }
}
