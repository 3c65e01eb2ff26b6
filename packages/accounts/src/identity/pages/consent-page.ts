import { html } from 'hono/html';
import { FORM_TOKEN_FIELD } from '../identity-cookies.ts';
import type { PersonClaims } from '../person.ts';
import type { Markup } from './identity-page.ts';

/** The form that asks for consent. */
export interface ConsentForm {
  readonly clientId: string;
  /** The address the person is redirected to. */
  readonly nextUrl: URL;
  readonly person: PersonClaims;
  readonly action: string;
  readonly formToken: string;
}

export function consentForm({ clientId, nextUrl, person, action, formToken }: ConsentForm): Markup {
  return html`<p><strong>${clientId}</strong> at ${nextUrl.host} would know your name${person.email ? ', e-mail address' : ''} and
account: ${person.name}${person.email ? html` (${person.email})` : ''}, ${person.org_slug}.</p>
<form method="post" action="${action}"><input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}">
<button class="main" name="decision" value="allow">Continue</button>
<button name="decision" value="deny">Cancel</button></form>`;
}
