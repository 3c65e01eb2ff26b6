import { auditSource, defineOperation } from '@berth/accounts';
import { domainRequestSchema, verifiedDomainSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { type DomainRouteDeps, toDomain } from './to-domain.ts';

/** Registers `POST /v1/domain/verify`. */
export const registerVerifyDomain = defineOperation(
  'POST /v1/domain/verify',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'verifyDomain',
    tags: ['Domains'],
    summary: 'Look for the proof of a domain; when it is there, the domain leads to its deployment',
    request: { body: jsonBody(domainRequestSchema) },
    responses: {
      200: jsonResponse(
        verifiedDomainSchema,
        '`active`: it is proven; `pending`: `problems` tells what was found instead',
      ),
    },
  },
  async (c, deps: DomainRouteDeps) => {
    const { domain } = c.req.valid('json');
    const { record, problems } = await deps.domains.verify(c.get('principal').accountId, domain, auditSource(c));
    return c.json({ ...toDomain(record, deps), problems: [...problems] }, 200);
  },
);
