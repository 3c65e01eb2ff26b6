/** The workspace of an agent that a request works in. Source: docs/contract/agent-api.md §1. */
export const WORKSPACE_HEADER = 'X-Workspace';
/** The account, by id or name, that a person with several acts for. Source: docs/guides/people.md. */
export const ACCOUNT_HEADER = 'X-Account';
/** An API key of the platform; it takes precedence over `Authorization`. Source: docs/contract/control-plane.md §1. */
export const API_KEY_HEADER = 'X-API-Key';
/** Header that the console sends with its cookie, and that pages of other sites can't send. */
export const BROWSER_HEADER = 'X-Berth-Browser';
