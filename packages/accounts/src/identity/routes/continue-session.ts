import { createError, messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { subjectOf } from '../person.ts';

const route = defineRoute('POST /v1/user/sign-in-at-agents', {
  scope: 'session',
  operationId: 'signInAtAgents',
  tags: ['Sign-in'],
  summary: "Sign the console's browser in to the account’s agents",
  description: 'Only for pages of the platform, whose session is in a cookie. Ends with that session.',
  responses: { 200: jsonResponse(messageSchema, 'The browser is signed in') },
});

/** Registers `POST /v1/user/sign-in-at-agents`. */
export function registerContinueSession(api: Api, { sessionCookie, sessions, cookies }: IdentityDeps): void {
  api.openapi(route, async (c) => {
    const sessionToken = sessionCookie.read(c.req.raw.headers);
    if (sessionToken === undefined) throw createError('forbidden', 'Only pages of the platform can do this.');
    const principal = c.get('principal');
    const current = await sessions.find(cookies.session(c));
    const { accountId, userId } = principal;
    const isSame = current?.accountId === accountId && subjectOf(current) === subjectOf({ accountId, userId });
    if (!isSame) cookies.setSession(c, await sessions.create(principal, { kind: 'password', sessionToken }));
    return c.json({ detail: "This browser is signed in to the account's agents." }, 200);
  });
}
