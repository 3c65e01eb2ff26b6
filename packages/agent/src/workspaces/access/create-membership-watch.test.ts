import { type ActiveWorkspace, personalWorkspace } from '@berth/agent-core';
import { teamKey } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { WorkspaceRole } from '@berth/contract/agent';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { expect, it } from 'vitest';
import { createMembershipWatch } from './create-membership-watch.ts';

const ALICE = { id: 'alice', orgId: 'acme' };
const BOB = { id: 'bob', orgId: 'acme' };
const team = (role: WorkspaceRole, id = 't-1'): ActiveWorkspace => ({
  id,
  type: 'team',
  role,
  key: teamKey('acme', id),
});

function open() {
  const clock = createFakeClock();
  const lines: string[] = [];
  /** Current roles by `<user>/<workspace>`. */
  const roles = new Map<string, WorkspaceRole | 'broken'>();
  let looks = 0;
  const watch = createMembershipWatch({
    clock,
    logger: createRecordingLogger(lines),
    registry: {
      async enter(user, id) {
        looks++;
        const role = roles.get(`${user.id}/${id}`);
        if (role === 'broken') throw new Error('the database is away');
        if (role === undefined) throw createError('not_found', 'No such workspace.');
        return team(role, id);
      },
    },
  });
  const lost: string[] = [];
  return {
    clock,
    lines,
    roles,
    watch,
    lost,
    looks: () => looks,
    hold: (name: string, user: typeof ALICE, workspace: ActiveWorkspace) =>
      watch.hold(user, workspace, () => lost.push(name)),
  };
}

// Holds the agent to the contract: verifies('workspace.streams')
it('ends within a minute all that somebody holds who was removed, and nothing of others', async () => {
  const { clock, roles, lost, hold, watch } = open();
  for (const one of ['alice/t-1', 'alice/t-2', 'bob/t-1']) roles.set(one, 'editor');
  for (const name of ['first', 'second']) hold(name, ALICE, team('editor'));
  hold('elsewhere', ALICE, team('editor', 't-2'));
  hold('of bob', BOB, team('editor'));
  await clock.elapse(60_000);
  expect(lost).toEqual([]);
  roles.delete('alice/t-1');
  await clock.elapse(60_000);
  expect(lost).toEqual(['first', 'second']);
  await clock.elapse(600_000);
  expect(lost).toHaveLength(2);
  await watch.close();
});

it('ends what was begun in a higher role, and not what somebody began who is more now', async () => {
  const { clock, roles, lost, hold, watch } = open();
  roles.set('alice/t-1', 'editor').set('bob/t-1', 'admin');
  hold('as admin', ALICE, team('admin'));
  hold('as editor', ALICE, team('editor'));
  hold('raised', BOB, team('editor'));
  await clock.elapse(60_000);
  expect(lost).toEqual(['as admin']);
  await watch.close();
});

it('looks once for a member however much they hold, and not at all when nothing is held', async () => {
  const { clock, roles, looks, hold, watch } = open();
  roles.set('alice/t-1', 'editor');
  hold('personal', ALICE, personalWorkspace(ALICE));
  expect(clock.pending).toBe(0);
  const releases = Array.from({ length: 1_000 }, (_, index) => hold(`${index}`, ALICE, team('editor')));
  expect(clock.pending).toBe(1);
  await clock.elapse(60_000);
  expect(looks()).toBe(3);
  for (const release of [...releases, ...releases]) release();
  await clock.elapse(60_000);
  expect(looks()).toBe(3);
  expect(clock.pending).toBe(0);
  hold('again', ALICE, team('editor'));
  await watch.close();
  expect(clock.pending).toBe(0);
});

it('keeps what is held while the database is away, and looks again', async () => {
  const { clock, roles, lost, lines, hold, watch } = open();
  roles.set('alice/t-1', 'broken').set('bob/t-1', 'editor');
  hold('of alice', ALICE, team('editor'));
  hold('of bob', BOB, team('editor'));
  await clock.elapse(20_000);
  expect(lost).toEqual([]);
  expect(lines.join()).toContain('the database is away');
  roles.clear();
  await clock.elapse(20_000);
  expect(lost).toEqual(['of alice', 'of bob']);
  await watch.close();
});
