import { fromSection } from './requirement.ts';

/** Section 8 of the agent's page. */
export const AGENT_CONNECTORS = fromSection('agent-api §8', {
  'connector.mounted': 'The routes are there when connectors are declared and the agent has auth; else 404.',
  'connector.list':
    'GET /connectors answers [{name,kind,scope,title,description,icon?,connected,connected_as,on,allowed,admin}].',
  'connector.unknown': 'What is not declared and what the caller may not see are 404 alike.',
  'connector.key': 'PUT …/key {key,scope?} connects; the key is never shown again.',
  'connector.scope': 'The person’s own connection is used before the workspace’s, as the connector’s scope allows.',
  'connector.manage': 'The workspace’s connection is managed by its owner and admins, else 403.',
  'connector.disconnect': 'DELETE disconnects, twice too.',
  'connector.switch': 'PATCH {on} is one’s own switch; {allowed} is for org admins, else 403.',
  'connector.mode': 'PUT …/tools/{tool} {mode} answers 400 for a bad mode.',
  'connector.sealed': 'Secrets are sealed, bound to user and connector; what can’t be read is not connected.',
  'connector.secret': 'A secret is in no answer, log, stream, file or page.',
  'connector.authorize': 'POST …/authorize?scope answers {url}: code, PKCE S256, a state that is good once for 600 s.',
  'connector.callback':
    'GET …/callback is a page that tells its opener and closes; 400 otherwise, without the provider’s text.',
  'connector.refresh': 'Tokens are renewed by one at a time; what the provider revoked reads as not connected.',
  'connector.tools': 'GET …/tools answers [{name,title,description,writes,mode}].',
  'connector.prompts': 'GET …/prompts answers [{name,title,description}].',
  'connector.turn': 'Tools of a connector are in turns of those who are connected, asked for as their modes say.',
  'connector.fetch': 'ANY …/fetch/{path} calls the API with the stored credential; the query goes along.',
  'connector.fetch-headers': 'Of request headers an allow-list goes out; hop-by-hop ones and cookies go neither way.',
  'connector.fetch-refused': '401 not connected, 403 switched off or never, 400 a path that leaves the base.',
  'connector.fetch-limits': 'No redirects, 30 s, 5 MB a request, 240 calls a minute of a user and connector, else 429.',
  'connector.outbound': 'Nothing is asked of private, loopback, link-local or metadata addresses, at any hop.',
});
