import { messageSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import { type AuditLog, auditSource } from '../../audit/audit-log.ts';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { IdentityKeys } from '../identity-keys.ts';

const route = defineRoute('POST /v1/admin/identity/replace-keys', {
  scope: 'admin',
  isOperatorOnly: true,
  operationId: 'replaceIdentityKeys',
  tags: ['Admin'],
  summary: "Rotate the identity provider's keys immediately, if one may have leaked",
  responses: { 200: jsonResponse(messageSchema, 'Tokens signed with the previous keys are rejected') },
});

/** Dependencies of {@link registerReplaceKeys}. */
export interface ReplaceKeysDeps {
  readonly keys: Pick<IdentityKeys, 'replaceAll'>;
  readonly audit: Pick<AuditLog, 'record'>;
}

/** Registers `POST /v1/admin/identity/replace-keys`. */
export function registerReplaceKeys(api: Api, { keys, audit }: ReplaceKeysDeps): void {
  api.openapi(route, async (c) => {
    await keys.replaceAll();
    const { accountId } = c.get('principal');
    await audit.record({ ...auditSource(c), accountId, action: 'identity.replace-keys', target: 'keys' });
    return c.json({ detail: 'Keys rotated. Running agents use the new keys from the next token on.' }, 200);
  });
}
