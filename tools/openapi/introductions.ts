import { ERRORS } from '@berth/contract';

/** Introduction of the control plane's reference. */
export const CONTROL_INTRODUCTION: readonly string[] = [
  '# API reference',
  '',
  'Generated from the schemas that validate the requests (`npm run openapi`). Times are RFC 3339 UTC. Every `/v1` route takes',
  '`X-API-Key: <key>` or `Authorization: Bearer <session token or key>`. Errors are `{"detail": "…"}`, and for 422 a list of',
  '`{loc, msg, type}`, one for each wrong field. Every answer carries `X-Request-Id`.',
  '',
  '## Error codes',
  '',
  'The ERROR event of a deploy and `berth --json` name an error by its code. Retry with backoff where the table says so.',
  '',
  '| Code | Status | Retry | Meaning |',
  '|---|---|---|---|',
  ...Object.entries(ERRORS).map(
    ([code, { status, isRetryable, meaning }]) =>
      `| \`${code}\` | ${status} | ${isRetryable ? 'yes' : 'no'} | ${meaning} |`,
  ),
];

/** Introduction of the agents' reference. */
export const AGENT_INTRODUCTION: readonly string[] = [
  '# API of agents, reference',
  '',
  'Generated from the schemas that validate the requests (`npm run openapi`). Times are RFC 3339 UTC. Routes that ask for a credential',
  'take `Authorization: Bearer <token of the identity provider>`; an agent without `auth` has none of those that keep something. Errors',
  'are `{"detail": "…"}`, and for 422 a list of `{loc, msg, type}`. [Writing a client](guides/agent-chat.md) tells how it goes together.',
];
