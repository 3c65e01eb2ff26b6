import { fromSection } from './requirement.ts';

/** Section 9 of the agent's page: tool settings and app data. */
export const AGENT_APP_DATA = fromSection('agent-api §9', {
  'tool.modes':
    'GET /tools answers what the person chose; PUT sets allow, ask or never; DELETE goes back to the default.',
  'app.row': 'A row is read as {value, version} and takes any JSON of at most 1,000,000 bytes, above 413.',
  'app.reserved': 'A key that begins with u/ is 400.',
  'app.compare': 'PUT with ?version= writes over that version only, empty when there is no row; else 412.',
  'app.delete': 'DELETE is idempotent, and with a trailing / a subtree.',
  'app.list': 'GET /apps/{slug}/data takes prefix, limit and cursor, and answers {rows, truncated}.',
  'app.who': 'who is absent for shared rows, me for one’s own; all and other people’s are for admins.',
  'app.keys': 'Keys have no leading /, no .., no empty segment and no NUL.',
  'app.follow': 'Rows follow the app: kept in the trash, dropped at its purge, moved at a rename.',
  'state.auth': 'State routes always ask for a token, and are 404 for an agent without auth.',
});
