import { timingSafeEqual } from 'node:crypto';
import { createError, platformCookieName } from '@berth/contract';
import { getCookie, setCookie } from 'hono/cookie';
import type { ApiContext } from '../http/api.ts';
import { createIdentitySecret } from './identity-secret.ts';
import { IDENTITY_SESSION_SECONDS } from './identity-sessions.ts';

/**
 * The two cookies of the provider's own pages; nothing else of the platform reads them. With TLS they carry `__Host-`, so that
 * no agent on a sibling host can set them (RFC 6265bis section 4.1.3.2).
 */
export interface IdentityCookies {
  session(c: ApiContext): string | undefined;
  setSession(c: ApiContext, secret: string): void;
  clearSession(c: ApiContext): void;
  /** What a form of this browser carries; made when it has none. */
  formToken(c: ApiContext): string;
  /**
   * Makes sure that a form was sent from a page of the provider's own.
   * @throws `forbidden`
   */
  requireOwnForm(c: ApiContext, form: URLSearchParams): void;
}

/** The hidden field of every form. */
export const FORM_TOKEN_FIELD = 'form_token';

export function createIdentityCookies(issuer: string): IdentityCookies {
  const isSecure = issuer.startsWith('https:');
  const sessionName = platformCookieName('berth_identity', isSecure);
  const formName = platformCookieName('berth_form', isSecure);
  const attributes = { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure } as const;
  return {
    session: (c) => getCookie(c, sessionName),
    setSession: (c, secret) => setCookie(c, sessionName, secret, { ...attributes, maxAge: IDENTITY_SESSION_SECONDS }),
    clearSession: (c) => setCookie(c, sessionName, '', { ...attributes, maxAge: 0 }),
    formToken(c) {
      const known = getCookie(c, formName);
      if (known !== undefined && /^[A-Za-z0-9_-]{43}$/.test(known)) return known;
      const token = createIdentitySecret();
      setCookie(c, formName, token, attributes);
      return token;
    },
    requireOwnForm(c, form) {
      const origin = c.req.header('origin');
      const expected = Buffer.from(getCookie(c, formName) ?? '');
      const given = Buffer.from(form.get(FORM_TOKEN_FIELD) ?? '');
      const isOwn = expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given);
      if (isOwn && (origin === undefined || origin === new URL(issuer).origin)) return;
      throw createError(
        'forbidden',
        'This form was not sent from its own page, or cookies are off. Go back and try again.',
      );
    },
  };
}
