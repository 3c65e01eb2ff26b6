import { createError } from '@berth/contract';
import type { Authenticator } from '../define/authenticator.ts';
import type { User } from '../define/user.ts';
import type { AgentAppContext } from '../http/agent-app.ts';
import { bearerToken } from '../http/bearer-token.ts';

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
