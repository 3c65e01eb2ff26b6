import { createError } from '@berth/contract';
import type { AgentAppContext } from './agent-app.ts';

/** Returns the token of `Authorization: Bearer …` (RFC 6750, 2.1). Refuses a token in the query (2.3), which would end up in logs. */
export function bearerToken(c: AgentAppContext): string | undefined {
  if (c.req.query('access_token') !== undefined) {
    throw unauthenticated('Tokens in the query are not accepted. Send Authorization: Bearer TOKEN.');
  }
  const header = c.req.header('authorization');
  if (header === undefined) return undefined;
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header)?.[1];
  if (token === undefined) throw unauthenticated('The Authorization header must have the form: Bearer TOKEN.');
  return token;
}

/** Returns a 401 error that repeats its reason in the challenge. */
export function unauthenticated(message: string, cause?: unknown): Error {
  const description = message.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
  return createError('unauthenticated', message, {
    cause,
    details: { challenge: `Bearer error="invalid_token", error_description="${description}"` },
  });
}
