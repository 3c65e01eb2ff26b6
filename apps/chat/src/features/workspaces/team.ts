import type { Workspace, WorkspaceMember } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';
import { createStore, type Store } from '../../store/store.ts';
import { GENERAL_ID } from './general.ts';

export interface TeamState {
  /** The team and who is in it; undefined until they are read. */
  readonly team: Workspace | undefined;
  readonly members: readonly WorkspaceMember[];
  /** The caller's user id. */
  readonly me: string | undefined;
  readonly problem: string | undefined;
}

/** What the caller may do in a team. Admins of the organisation may more: the server says what it refuses. */
export interface TeamRights {
  readonly mayRename: boolean;
  readonly mayManageMembers: boolean;
  readonly mayLeave: boolean;
}

/** A team to be looked after. Changes throw {@link ApiError}. */
export interface Team {
  readonly state: Store<TeamState>;
  refresh(): Promise<void>;
  /** @param icon one emoji; '' for none */
  change(fields: { readonly name: string; readonly icon: string }): Promise<void>;
  /** Takes somebody in, or gives them another role. Of General: lets somebody in again. */
  put(userId: string, role: 'admin' | 'editor'): Promise<void>;
  /** Takes somebody out. */
  remove(userId: string): Promise<void>;
  /** The caller goes out of it. */
  leave(): Promise<void>;
  /** Deletes it with all that is in it, for good. */
  destroy(): Promise<void>;
}

/** Source: docs/contract/agent-api.md §7, and the guide of workspaces, "Who may do what". */
export function rightsIn({ id, role }: Pick<Workspace, 'id' | 'role'>): TeamRights {
  const isGeneral = id === GENERAL_ID;
  const isManager = role === 'owner' || role === 'admin';
  return {
    // Of General the server makes exactly the organisation's admins its admins.
    mayRename: role === 'owner' || (isGeneral && isManager),
    mayManageMembers: isManager,
    mayLeave: !isGeneral && role !== 'owner',
  };
}

export function createTeam(api: Api, teamId: string): Team {
  const state = createStore<TeamState>({ team: undefined, members: [], me: undefined, problem: undefined });
  const path = `/workspaces/${encodeURIComponent(teamId)}`;
  const memberPath = (userId: string) => `${path}/members/${encodeURIComponent(userId)}`;
  const refresh = async () => {
    try {
      const [team, members, workspaces] = await Promise.all([
        // Of the workspace that the page works in, which is this one.
        api.json<Workspace>('/workspace'),
        api.json<readonly WorkspaceMember[]>(`${path}/members`),
        api.json<readonly Workspace[]>('/workspaces'),
      ]);
      // Whose the personal one is; its id holds it in another spelling.
      const me = workspaces.find(({ type }) => type === 'personal')?.created_by ?? undefined;
      state.set({ team, members, me, problem: undefined });
    } catch (error) {
      state.patch({ problem: messageOf(error) });
    }
  };
  return {
    state,
    refresh,
    async change({ name, icon }) {
      const team = await api.sendJson<Workspace>('PATCH', path, { name: name.trim(), icon: icon.trim() || null });
      state.patch({ team });
    },
    async put(userId, role) {
      await api.sendJson('PUT', memberPath(userId.trim()), { role });
      await refresh();
    },
    async remove(userId) {
      await api.json(memberPath(userId), { method: 'DELETE' });
      await refresh();
    },
    async leave() {
      const { me } = state.get();
      if (me === undefined) throw new Error('The agent did not say who you are. Reload the page and try again.');
      await api.json(memberPath(me), { method: 'DELETE' });
    },
    async destroy() {
      await api.json(path, { method: 'DELETE' });
    },
  };
}
