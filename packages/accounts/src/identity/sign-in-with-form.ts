import { createError, signInRequestSchema } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { ApiContext } from '../http/api.ts';
import { sessionPlace } from '../sessions/session-place.ts';
import type { IdentityDeps } from './identity-deps.ts';

/** The outcome of a sign-in form. */
export type SignInResult =
  | { readonly problem: string }
  | { readonly problem?: undefined /** For the browser to keep. */; readonly sessionSecret: string };

/** Signs in with an e-mail address and a password, or with an API key. */
export async function signInWithForm(
  c: ApiContext,
  { passwords, authenticate, sessions }: Pick<IdentityDeps, 'passwords' | 'authenticate' | 'sessions'>,
  form: URLSearchParams,
): Promise<SignInResult> {
  try {
    const key = form.get('api_key')?.trim();
    if (key !== undefined) {
      const principal = await authenticate(new Headers({ 'x-api-key': headerSafe(key) }));
      return { sessionSecret: await sessions.create(principal, { kind: 'key' }) };
    }
    const email = form.get('email')?.trim() ?? '';
    if (!signInRequestSchema.shape.email.safeParse(email).success) throw createError('bad_request', 'Invalid email.');
    const { token } = await passwords.signIn({ email, password: form.get('password') ?? '' }, sessionPlace(c));
    const principal = await authenticate(new Headers({ authorization: `Bearer ${token}` }));
    return { sessionSecret: await sessions.create(principal, { kind: 'password', sessionToken: token }) };
  } catch (error) {
    if (BerthError.is(error) && error.status < 500) return { problem: error.message };
    throw error;
  }
}

/** Replaces characters that a header can't hold: no key has them. */
function headerSafe(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?');
}
