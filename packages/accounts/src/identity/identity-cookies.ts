import { timingSafeEqual } from 'node:crypto';
import { createError } from '@berth/contract';
import { createHostCookie } from '@berth/http';
import type { ApiContext } from '../http/api.ts';
import { createSecret } from '../secrets/secrets.ts';
import { FORM_TOKEN_FIELD } from './identity-page.ts';
import { IDENTITY_SESSION_SECONDS } from './identity-sessions.ts';

export function createIdentityCookies(issuer: string) {
  const isSecure = issuer.startsWith('https:');
  const session = createHostCookie({ label: 'berth_identity', isSecure, sameSite: 'Lax' });
  const form = createHostCookie({ label: 'berth_form', isSecure, sameSite: 'Lax' });
  return {
    session: (c: ApiContext): string | undefined => session.read(c.req.raw.headers),
    setSession: (c: ApiContext, secret: string): void => session.set(c, secret, IDENTITY_SESSION_SECONDS),
    clearSession: session.clear,
    /** Returns the form token of this browser, and sets one when it has none. */
    formToken(c: ApiContext): string {
      const known = form.read(c.req.raw.headers);
      if (known !== undefined && /^[A-Za-z0-9_-]{43}$/.test(known)) return known;
      const token = createSecret();
      form.set(c, token);
      return token;
    },
    /**
     * Verifies that a form was sent from one of the provider's own pages.
     * @throws `forbidden`
     */
    requireOwnForm(c: ApiContext, fields: URLSearchParams): void {
      const origin = c.req.header('origin');
      const expected = Buffer.from(form.read(c.req.raw.headers) ?? '');
      const given = Buffer.from(fields.get(FORM_TOKEN_FIELD) ?? '');
      const isOwn = expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
      if (isOwn && (origin === undefined || origin === new URL(issuer).origin)) return;
      throw createError(
        'forbidden',
        'This form was not sent from its own page, or cookies are disabled. Go back and try again.',
      );
    },
  };
}
