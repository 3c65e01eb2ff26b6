import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callAuth } from '../call-auth.ts';
import type { Auth } from '../create-auth.ts';

const route = defineRoute(
  { scope: 'public' },
  {
    method: 'post',
    path: '/v1/auth/sign-out',
    operationId: 'signOut',
    tags: ['Sign-in'],
    summary: 'End the session of the token in `Authorization: Bearer`, or of the cookie of a page of the platform',
    responses: { 200: jsonResponse(messageSchema, 'The token is good for nothing now') },
  },
);

export function registerSignOut(api: Api, { auth }: { readonly auth: Auth }): void {
  api.openapi(route, async (c) => {
    // First, so that it goes even when the session is gone already.
    if (auth.cookie.isWanted(c.req.raw.headers)) auth.cookie.clear(c);
    await callAuth(auth, c, { method: 'POST', path: '/sign-out', body: {} });
    return c.json({ detail: 'Signed out.' }, 200);
  });
}
