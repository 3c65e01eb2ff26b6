import { type AuthProvider, type User, unauthenticated } from '@berth/agent-core';

/**
 * Takes tokens that say whom they name: `alice`, `bob.acme` (of an org), `carol.acme.admin` (with a role there). `expired`
 * and `bad` are good for nothing.
 */
export function testAuth(): AuthProvider {
  return {
    open: () => ({
      signIn: null,
      async verify(token) {
        const [, id, orgId, orgRole] = /^([\w-]+)(?:\.([\w-]+))?(?:\.(\w+))?$/.exec(token) ?? [];
        if (id === undefined || id === 'bad') throw unauthenticated('The token is not one of this agent.');
        if (id === 'expired') throw unauthenticated('The token has expired.');
        return { id, ...(orgId && { orgId }), ...(orgRole && { orgRole }) } satisfies User;
      },
    }),
  };
}
