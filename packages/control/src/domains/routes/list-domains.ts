import { type Api, defineRoute } from '@berth/accounts';
import { domainSchema, listDomainsRequestSchema } from '@berth/contract';
import { jsonBody, jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import { type DomainRouteDeps, toDomain } from './to-domain.ts';

const common = {
  scope: 'read' as const,
  errors: ['not_found'] as const,
  tags: ['Domains'],
  summary: 'List domains of the account or of one deployment, oldest first',
  responses: { 200: jsonResponse(z.array(domainSchema), 'The domains') },
};

const getRoute = defineRoute('GET /v1/domain/list', {
  ...common,
  operationId: 'listDomains',
  request: { query: listDomainsRequestSchema },
});

const postRoute = defineRoute('POST /v1/domain/list', {
  ...common,
  operationId: 'listDomainsByPost',
  request: { body: jsonBody(listDomainsRequestSchema) },
});

export function registerListDomains(api: Api, deps: DomainRouteDeps): void {
  const list = async (account: Parameters<typeof deps.domains.list>[0], name: string | undefined) =>
    (await deps.domains.list(account, name)).map((record) => toDomain(record, deps));
  api.openapi(getRoute, async (c) => c.json(await list(c.get('principal').accountId, c.req.valid('query').name), 200));
  api.openapi(postRoute, async (c) => c.json(await list(c.get('principal').accountId, c.req.valid('json').name), 200));
}
