import { BerthError } from '@berth/kit';
import { callAuth } from '../accounts/call-auth.ts';
import type { AuthSignedIn } from '../accounts/sign-in-answer.ts';
import type { ApiContext } from '../http/api.ts';
import type { IdentityDeps } from './identity-deps.ts';

/** What became of a try to sign in. */
export type SignInResult =
  | { readonly problem: string }
  | { readonly problem?: undefined /** For the browser to keep. */; readonly sessionSecret: string };

/** Signs in with an e-mail address and a password, or with an API key. */
export async function signInWithForm(
  c: ApiContext,
  { auth, authenticate, sessions }: Pick<IdentityDeps, 'auth' | 'authenticate' | 'sessions'>,
  form: URLSearchParams,
): Promise<SignInResult> {
  try {
    const key = form.get('api_key')?.trim();
    if (key !== undefined) {
      const principal = await authenticate(new Headers({ 'x-api-key': headerSafe(key) }));
      return { sessionSecret: await sessions.create(principal, { kind: 'key' }) };
    }
    const body = { email: form.get('email')?.trim() ?? '', password: form.get('password') ?? '' };
    const { token } = await callAuth<AuthSignedIn>(auth, c, { method: 'POST', path: '/sign-in/email', body });
    const principal = await authenticate(new Headers({ authorization: `Bearer ${token}` }));
    return { sessionSecret: await sessions.create(principal, { kind: 'password', sessionToken: token }) };
  } catch (error) {
    if (BerthError.is(error) && error.status < 500) return { problem: error.message };
    throw error;
  }
}

/** What can't be in a header is no key. */
function headerSafe(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?');
}
