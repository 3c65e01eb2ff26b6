import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { ApiContext } from '../http/api.ts';

/** The hidden field of every form; see `IdentityCookies.requireOwnForm`. */
export const FORM_TOKEN_FIELD = 'form_token';

/** Text with its markup escaped. */
type Markup = ReturnType<typeof html>;

/** Returns the hidden field with the token of the browser's forms. */
export function formTokenField(token: string): Markup {
  return html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">`;
}

/** A page of the provider's own. */
export interface IdentityPage {
  readonly title: string;
  readonly content: Markup;
  readonly status?: 200 | 400 | 403 | 429;
  /** The redirect target of the page's form, if it is another origin. */
  readonly nextUrl?: URL | undefined;
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center}
main{width:min(22rem,calc(100vw - 3rem));padding:1.5rem 0}
h1{font-size:1.3rem;margin:0 0 .5rem;overflow-wrap:anywhere}p{margin:.5rem 0;overflow-wrap:anywhere}
label{display:block;margin:.8rem 0 .2rem}summary{margin:1.2rem 0 0;cursor:pointer}
input{box-sizing:border-box;width:100%;font:inherit;padding:.45rem .6rem;border:1px solid #8888;border-radius:.4rem}
button{font:inherit;padding:.5rem 1rem;margin:1rem .5rem 0 0;border:1px solid #8888;border-radius:.4rem;cursor:pointer}
a.button{display:inline-block;color:inherit;text-decoration:none;padding:.5rem 1rem;border:1px solid #8888;border-radius:.4rem}
button.main{background:#1d4ed8;border-color:#1d4ed8;color:#fff}.problem{color:#b91c1c;font-weight:600}
@media (prefers-color-scheme:dark){.problem{color:#fca5a5}}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Returns a page that runs no script, loads nothing and can't be framed. */
export async function answerIdentityPage(c: ApiContext, page: IdentityPage): Promise<Response> {
  const { title, content, status = 200, nextUrl } = page;
  // Chromium applies form-action also to the redirect that follows a form.
  // The address of a program may have a scheme of its own, which has no origin.
  const next = nextUrl && (nextUrl.origin === 'null' ? nextUrl.protocol : nextUrl.origin);
  const formAction = next ? `'self' ${next}` : "'self'";
  const body = await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${raw(STYLE)}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`;
  return c.html(body, status, {
    'Content-Security-Policy':
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${formAction}; ` +
      "base-uri 'none'; frame-ancestors 'none'",
    'X-Frame-Options': 'DENY',
    // Not no-referrer: browsers would send "Origin: null" with the forms.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
}
