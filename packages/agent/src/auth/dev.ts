import type { AuthProvider, User } from '@berth/agent-core';
import { createError } from '@berth/contract';

/**
 * One person, for work on one's own machine: every bearer token is theirs.
 * @throws `invalid` when the agent starts in production or on a platform.
 */
export function dev(user: User = { id: 'dev', name: 'Developer' }): AuthProvider {
  return {
    open({ isProduction, logger }) {
      if (isProduction) {
        throw createError('invalid', 'dev() lets everybody in, so it is refused in production. Use berth() or oidc().');
      }
      logger.warn({ user: user.id }, 'dev() is on: whoever reaches this agent is the same user');
      return { signIn: { token: 'dev' }, verify: async () => user };
    },
  };
}
