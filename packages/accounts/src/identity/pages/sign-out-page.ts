import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../identity-cookies.ts';
import type { Markup } from './identity-page.ts';

/** The form that confirms a sign-out. Any site can link here, so nobody is signed out unasked. */
export function signOutForm({ action, formToken }: { readonly action: string; readonly formToken: string }): Markup {
  return html`<p>You stay signed in at agents until their tokens run out, which takes ten minutes at most.</p>
<form method="post" action="${action}"><input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}">
<button class="main">Sign out</button></form>`;
}
