import { createError } from '@berth/contract';
import { jsonResponse, registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';

/** Source: OpenID Connect Core 1.0, section 5.3. */
const CLAIMS = [
  ...['sub', 'name', 'email', 'email_verified', 'picture'],
  ...['org_id', 'org_slug', 'org_role', 'plan'],
];

const userInfoRoute = (method: 'GET' | 'POST', operationId: string) =>
  defineRoute(`${method} ${IDENTITY_PATHS.userInfo}`, {
    scope: 'public',
    errors: ['unauthenticated'],
    operationId,
    tags: ['Signing in to agents'],
    summary: 'The claims of an access token about its person (OpenID Connect Core 1.0, section 5.3)',
    description: 'Takes `Authorization: Bearer <access token>` of this provider.',
    responses: { 200: jsonResponse(z.looseObject({ sub: z.string() }), 'The claims') },
  });

/** `/oauth2/userinfo`: the current claims of an access token's person. */
export function registerUserInfo(api: Api, { tokens }: Pick<IdentityDeps, 'tokens'>): void {
  const answer = async (c: ApiContext) => {
    const token = /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    const payload = token === undefined ? undefined : await tokens.readAccess(token);
    if (!payload)
      throw createError('unauthenticated', 'Send an access token of this provider in Authorization: Bearer.');
    c.header('Cache-Control', 'no-store');
    return c.json(Object.fromEntries(Object.entries(payload).filter(([name]) => CLAIMS.includes(name))));
  };
  registerStream(api, userInfoRoute('GET', 'getUserInfo'), answer);
  registerStream(api, userInfoRoute('POST', 'postUserInfo'), answer);
}
