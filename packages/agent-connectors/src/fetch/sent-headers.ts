/**
 * Request headers that are forwarded to the API. All others are dropped: the agent's credentials and cookies, the
 * caller's address, connection headers. Source: docs/contract/agent-api.md §8, "an allow-list".
 */
const KEPT: readonly string[] = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'prefer',
  'range',
];

/** Returns the caller's forwarded headers, overridden by the owner's. */
export function sentHeaders(asked: Headers, declared: Readonly<Record<string, string>>): Headers {
  const sent = new Headers();
  for (const name of KEPT) {
    const value = asked.get(name);
    if (value !== null) sent.set(name, value);
  }
  for (const [name, value] of Object.entries(declared)) sent.set(name, value);
  return sent;
}
