import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  memberKey,
  memberKeySuffix,
  ownerKey,
  ownerKeyPrefix,
  type PersonId,
  parseOwnerKey,
  teamKey,
} from './owner-key.ts';

describe('ownerKey', () => {
  // Holds the agent to the contract: verifies('agent.owner-key')
  it('consists of the organization and the user', () => {
    expect(ownerKey({ id: 'usr_1' })).toBe('usr_1');
    expect(ownerKey({ id: 'usr_1', orgId: 'org_1' })).toBe('org_1:usr_1');
    expect(ownerKey({ id: 'auth0|a' })).toBe('auth0|a');
  });

  it('differs between users, whatever their ids are', () => {
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

describe('keys of workspaces', () => {
  const id = fc.string({ unit: fc.constantFrom('a', ':', '%', '3A', 't-', '::'), minLength: 1, maxLength: 4 });
  const user: fc.Arbitrary<PersonId> = fc.oneof(fc.record({ id }), fc.record({ id, orgId: id }));
  /** A key of each kind, and what it is of. */
  const key = fc.oneof(
    user.map((one) => ({ key: ownerKey(one), of: ['person', one] })),
    fc.tuple(fc.option(id, { nil: undefined }), id).map(([orgId, team]) => ({
      key: teamKey(orgId, team),
      of: ['team', orgId, team],
    })),
    fc.tuple(user, id).map(([one, team]) => ({
      key: memberKey(ownerKey(one), { id: team, type: 'team' }),
      of: ['member', one, team],
    })),
  );

  it('differ between workspaces and members, whatever the ids are', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        expect(one.key === other.key).toBe(JSON.stringify(one.of) === JSON.stringify(other.of));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are found by prefix and suffix, and are never taken for a user’s', () => {
    fc.assert(
      fc.property(user, id, id, (one, team, another) => {
        const own = ownerKey(one);
        const inTeam = memberKey(own, { id: team, type: 'team' });
        expect([own, inTeam].every((text) => text.startsWith(ownerKeyPrefix(one.orgId ?? '')))).toBe(true);
        expect(inTeam.endsWith(memberKeySuffix(another))).toBe(team === another);
        expect(own.endsWith(memberKeySuffix(team))).toBe(false);
        expect(parseOwnerKey(own)).toEqual(one);
        expect([parseOwnerKey(inTeam), parseOwnerKey(teamKey(one.orgId, team))]).toEqual([undefined, undefined]);
      }),
      { numRuns: 1_000 },
    );
  });
});
