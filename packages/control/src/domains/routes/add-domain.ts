import { auditSource, defineOperation } from '@berth/accounts';
import { addDomainRequestSchema, domainSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { type DomainRouteDeps, toDomain } from './to-domain.ts';

/** Registers `POST /v1/domain/add`. */
export const registerAddDomain = defineOperation(
  'POST /v1/domain/add',
  {
    scope: 'deploy',
    errors: ['not_found', 'conflict'],
    operationId: 'addDomain',
    tags: ['Domains'],
    summary: 'Add a domain to a deployment, or move one of your domains to another deployment',
    request: { body: jsonBody(addDomainRequestSchema) },
    responses: { 200: jsonResponse(domainSchema, 'The domain and how to verify it') },
  },
  async (c, deps: DomainRouteDeps) => {
    const { domain, deployment_name: deployment } = c.req.valid('json');
    const record = await deps.domains.add(c.get('principal').accountId, { domain, deployment }, auditSource(c));
    return c.json(toDomain(record, deps), 200);
  },
);
