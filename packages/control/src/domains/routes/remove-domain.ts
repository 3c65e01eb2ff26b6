import { auditSource, defineOperation } from '@berth/accounts';
import { domainRequestSchema, messageSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import type { DomainRouteDeps } from './to-domain.ts';

/** Registers `POST /v1/domain/remove`. */
export const registerRemoveDomain = defineOperation(
  'POST /v1/domain/remove',
  {
    scope: 'deploy',
    errors: ['not_found'],
    operationId: 'removeDomain',
    tags: ['Domains'],
    summary: 'Remove a domain; requests to it get 404',
    request: { body: jsonBody(domainRequestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'The domain is removed') },
  },
  async (c, { domains }: DomainRouteDeps) => {
    const { domain } = c.req.valid('json');
    await domains.remove(c.get('principal').accountId, domain, auditSource(c));
    return c.json({ detail: `${domain} is removed. Point its DNS elsewhere, or others can claim it here.` }, 200);
  },
);
