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
    summary: 'Give up a domain; it leads nowhere from then on',
    request: { body: jsonBody(domainRequestSchema) },
    responses: { 200: jsonResponse(messageSchema, 'It is given up') },
  },
  async (c, { domains }: DomainRouteDeps) => {
    const { domain } = c.req.valid('json');
    await domains.remove(c.get('principal').accountId, domain, auditSource(c));
    return c.json({ detail: `${domain} is removed. Point its DNS elsewhere, or others can claim it here.` }, 200);
  },
);
