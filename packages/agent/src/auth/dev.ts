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
        throw createError('invalid', 'dev() allows everyone, so it is refused in production. Use berth() or oidc().');
      }
      logger.warn({ user: user.id }, 'dev() is on: all callers of this agent are the same user');
      return { signIn: { token: 'dev' }, verify: async () => user };
    },
  };
}
