import type { AuthProvider, User } from '@berth/agent-core';
import { createError } from '@berth/contract';

/**
 * Returns an auth provider for local development: every bearer token signs in the same user.
 * @throws `invalid` when the agent starts in production or on a platform
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
