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
    summary: 'Verify a domain, and serve its deployment there',
    request: { body: jsonBody(domainRequestSchema) },
    responses: {
      200: jsonResponse(
        verifiedDomainSchema,
        '`active`: verified; `pending`: not verified, with reasons in `problems`',
      ),
    },
  },
  async (c, deps: DomainRouteDeps) => {
    const { domain } = c.req.valid('json');
    const { record, problems } = await deps.domains.verify(c.get('principal').accountId, domain, auditSource(c));
    return c.json({ ...toDomain(record, deps), problems: [...problems] }, 200);
  },
);
