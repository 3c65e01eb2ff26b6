import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerKey } from './user.ts';

describe('ownerKey', () => {
  // Holds the agent to the contract: verifies('agent.owner-key')
  it('is the org and the person', () => {
    expect(ownerKey({ id: 'usr_1' })).toBe('usr_1');
    expect(ownerKey({ id: 'usr_1', orgId: 'org_1' })).toBe('org_1:usr_1');
    expect(ownerKey({ id: 'auth0|a' })).toBe('auth0|a');
  });

  it('is another one for everybody else, whatever their ids are', () => {
    const id = fc.string({ unit: fc.constantFrom('a', 'b', ':', '%', '3A'), minLength: 1, maxLength: 4 });
    const user = fc.record({ id, orgId: fc.option(id, { nil: undefined }) });
    fc.assert(
      fc.property(user, user, (one, other) => {
        const isSame = one.id === other.id && one.orgId === other.orgId;
        const keys = [one, other].map(({ id: userId, orgId }) =>
          ownerKey({ id: userId, ...(orgId === undefined ? {} : { orgId }) }),
        );
        expect(keys[0] === keys[1]).toBe(isSame);
      }),
    );
  });
});
