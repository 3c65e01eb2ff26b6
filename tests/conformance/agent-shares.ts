import { fromSection } from './requirement.ts';

/** Section 6 of the agent's page: shares. */
export const AGENT_SHARES = fromSection('agent-api §6', {
  'share.create':
    'POST /share answers the row with token and url; the token has at least 128 bits and is told this once.',
  'share.snapshot': 'A share is the chat as it was when it was shared; live: true follows the chat.',
  'share.files': 'The files that a chat names are frozen with it, each of them the sharer’s own.',
  'share.file-route': '…/file/{path} serves paths of the share only; 403 for a path that climbs.',
  'share.list': 'GET /share lists the own rows, with token, url and absolute_url; the token is stored sealed.',
  'share.revoke': 'DELETE /share/{token} is idempotent, and ends nobody else’s.',
  'share.audience': 'Of an org’s share, data is 401 without a viewer’s identity and 403 outside the org.',
  'share.dead': 'Unknown, revoked and expired shares are 404, all alike.',
  'share.allow-list': 'Public data has the keys of an allow-list and no other.',
  'share.fork': 'A fork copies messages and files, adds only, writes over nothing, drops the cost, and answers {id}.',
  'share.page': 'GET /shared/{user}/{token} is a page that asks not to be indexed.',
});
