import { agentTokenSchema, createAgentTokenRequestSchema, createError } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { TOKEN_SECONDS } from '../identity-tokens.ts';
import { describePerson } from '../person.ts';

const route = defineRoute('POST /v1/user/token', {
  // The token lets its holder act as the caller at the agent.
  scope: 'deploy',
  errors: ['not_found'],
  operationId: 'createAgentToken',
  tags: ['Account'],
  summary: 'Create an access token for a deployed agent',
  description: 'For `Authorization: Bearer` at this agent only; valid for ten minutes.',
  request: { body: jsonBody(createAgentTokenRequestSchema) },
  responses: { 200: jsonResponse(agentTokenSchema, 'The token') },
});

/** Registers `POST /v1/user/token`. */
export function registerCreateAgentToken(
  api: Api,
  { clients, tokens, clock, db }: Pick<IdentityDeps, 'clients' | 'tokens' | 'clock' | 'db'>,
): void {
  api.openapi(route, async (c) => {
    const { deployment } = c.req.valid('json');
    const { accountId, userId } = c.get('principal');
    const client = await clients.find(deployment);
    if (client?.accountId === undefined) {
      throw createError('not_found', `No deployment is named "${deployment.slice(0, 63)}".`);
    }
    const claims = await describePerson(db, { accountId, userId });
    if (!claims) throw createError('forbidden', 'The person of this credential is no longer a member of its account.');
    const expiresAt = new Date((Math.floor(clock.nowMs() / 1_000) + TOKEN_SECONDS) * 1_000);
    const token = await tokens.signAccess({ claims, clientId: client.id, scope: 'openid profile email' });
    return c.json({ token, token_type: 'Bearer' as const, expires_at: expiresAt.toISOString() }, 200);
  });
}
