import { type AgentAppContext, type Authenticator, bearerToken, type User } from '@berth/agent-core';
import { createError } from '@berth/contract';

/**
 * Who looks at a share.
 * @throws `unauthenticated` without a good token
 */
export async function viewerOf(c: AgentAppContext, authenticator: Authenticator): Promise<User> {
  const token = bearerToken(c);
  if (token === undefined)
    throw createError('unauthenticated', 'This is shared within an organisation: sign in first.');
  return authenticator.verify(token);
}
