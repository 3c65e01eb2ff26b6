import type { MembershipWatch, User, WorkspaceAccess } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import type { WorkspaceRole } from '@berth/contract/agent';
import { type Clock, describeError, type Logger, type Timer } from '@berth/kit';
import { findRole } from './find-role.ts';

/**
 * The interval of checks: a third of the contract's bound, which leaves time to retry a failed check. Source:
 * docs/contract/agent-api.md §7.
 */
const LOOK_MS = 20_000;

const RANK: Readonly<Record<WorkspaceRole, number>> = { editor: 0, admin: 1, owner: 2 };

/** Options of {@link createMembershipWatch}. */
export interface MembershipWatchOptions {
  readonly registry: WorkspaceAccess;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A person's role in a team, with the `onLost` callbacks of the streams they hold open there. */
interface Member {
  readonly user: User;
  readonly workspaceId: string;
  readonly role: WorkspaceRole;
  readonly holds: Set<() => void>;
}

/** Creates a watch with one timer, and one check per member instead of per stream. Without holds there are no checks. */
export function createMembershipWatch({ registry, clock, logger }: MembershipWatchOptions): MembershipWatch {
  const members = new Map<string, Member>();
  let timer: Timer | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;

  const lookAt = async ({ user, workspaceId, role, holds }: Member): Promise<void> => {
    const now = await findRole(registry, user, workspaceId);
    if (now !== undefined && RANK[now] >= RANK[role]) return;
    logger.info({ userId: user.id, workspaceId, role, now: now ?? null }, 'end streams of a former member');
    for (const onLost of [...holds]) onLost();
  };
  const look = async (): Promise<void> => {
    for (const member of [...members.values()]) {
      if (isClosed) return;
      await lookAt(member).catch((error: unknown) => {
        logger.error({ error: describeError(error) }, "a membership can't be checked");
      });
    }
    timer = undefined;
    schedule();
  };
  const schedule = () => {
    if (timer || isClosed || members.size === 0) return;
    timer = clock.setTimer(LOOK_MS, () => {
      looking = look();
    });
  };

  return {
    hold(user, workspace, onLost) {
      if (workspace.type === 'personal') return () => {};
      const { id: workspaceId, role } = workspace;
      const key = JSON.stringify([ownerKey(user), user.orgRole, workspaceId, role]);
      const member = members.get(key) ?? { user, workspaceId, role, holds: new Set() };
      members.set(key, member);
      const release = () => {
        member.holds.delete(lose);
        if (member.holds.size === 0 && members.get(key) === member) members.delete(key);
      };
      const lose = () => {
        release();
        onLost();
      };
      member.holds.add(lose);
      schedule();
      return release;
    },
    async close() {
      isClosed = true;
      timer?.cancel();
      await looking;
    },
  };
}
