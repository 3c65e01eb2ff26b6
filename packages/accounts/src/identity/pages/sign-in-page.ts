import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../identity-cookies.ts';
import type { Markup } from './identity-page.ts';

/** The form to sign in with. */
export interface SignInForm {
  readonly clientId: string;
  /** The address the form posts to, with the query of the authorization request. */
  readonly action: string;
  readonly formToken: string;
  /** Why the last try was refused. */
  readonly problem?: string | undefined;
  readonly email?: string | undefined;
  /** Outside providers, each with the address that begins its sign-in. */
  readonly providers: readonly { readonly name: string; readonly href: string }[];
}

export function signInForm({ clientId, action, formToken, problem, email = '', providers }: SignInForm): Markup {
  const token = html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}">`;
  return html`<p>to go on to <strong>${clientId}</strong></p>
${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
<form method="post" action="${action}">${token}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128">
<button class="main">Sign in</button></form>
${providers.map(({ name, href }) => html`<p><a class="button" href="${href}">Continue with ${name}</a></p>`)}
<details><summary>With an API key instead</summary>
<form method="post" action="${action}">${token}
<label for="api_key">API key of this platform</label>
<input id="api_key" name="api_key" type="password" autocomplete="off" required maxlength="512">
<button>Sign in</button></form></details>`;
}
