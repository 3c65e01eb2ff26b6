import { type AuthProvider, type User, unauthenticated } from '@berth/agent-core';

/**
 * Takes tokens that say whom they name: `alice`, `bob.acme` (of an org), `carol.acme.admin` (with a role there), and
 * `dan.acme~Dan-Lee` (with the name Dan Lee and the e-mail address dan@example.com). `expired` and `bad` are invalid.
 */
export function testAuth(): AuthProvider {
  return {
    open: () => ({
      signIn: null,
      async verify(token) {
        const [, id, orgId, orgRole, name] = /^([\w-]+)(?:\.([\w-]+))?(?:\.(\w+))?(?:~([\w-]+))?$/.exec(token) ?? [];
        if (id === undefined || id === 'bad') throw unauthenticated('The token is not one of this agent.');
        if (id === 'expired') throw unauthenticated('The token has expired.');
        const profile = name && { name: name.replaceAll('-', ' '), email: `${id}@example.com` };
        return { id, ...(orgId && { orgId }), ...(orgRole && { orgRole }), ...profile } satisfies User;
      },
    }),
  };
}
