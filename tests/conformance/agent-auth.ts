import { fromSection } from './requirement.ts';

/** Section 1 of the agent's page: rules for every route. */
export const AGENT_AUTH = fromSection('agent-api §1', {
  'agent.bearer': 'A token is taken from Authorization: Bearer only; one in the query is refused.',
  'agent.unauthenticated': '401 carries WWW-Authenticate: Bearer and the reason.',
  'agent.algorithms': 'Tokens are verified by kid with RS256, ES256 or EdDSA; never none, never HS256.',
  'agent.token-checks': 'Issuer, audience and times are checked, with 10 s leeway.',
  'agent.claims': 'Claims give the user its id, org, role, plan and features; where they are can be configured.',
  'agent.state-routes': 'State routes always need a token; without auth they are 404.',
  'agent.owner-key': 'The owner key is <org_id>:<user_id> with an org, else <user_id>.',
  'agent.alike': 'Someone else’s id and a random id are answered alike.',
  'agent.file-headers':
    'Files come with no-cache, ETag, Range, nosniff and a sandbox policy; HTML, SVG and XML as attachments unless previewed.',
  'agent.paths':
    'Paths are decoded once and in NFC; traversal or a reserved tree is 403; links are not followed outward.',
  'agent.hidden': 'Dot entries are hidden from listings and zips.',
  'cors.default':
    'By default an agent with secret tokens answers pages of any origin, one without its own, in development localhost.',
  'cors.origins':
    'cors.origins names the origins whose pages may call the agent; the browser’s credentials are never allowed.',
});
