import type { Workspace, WorkspaceMember } from '@berth/contract/agent';
import { createStore, type Store } from '@berth/ui/store';
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../api/message-of.ts';
import { GENERAL_ID } from './general.ts';

/** The state of a team. */
export interface TeamState {
  /** The team; undefined until it is read. */
  readonly team: Workspace | undefined;
  readonly members: readonly WorkspaceMember[];
  /** The caller's user id. */
  readonly me: string | undefined;
  readonly problem: string | undefined;
}

/** The caller's rights in a team. Organization admins may do more; the server rejects what is not allowed. */
export interface TeamRights {
  readonly mayRename: boolean;
  readonly mayManageMembers: boolean;
  readonly mayLeave: boolean;
}

/**
 * Returns the caller's rights in a team. Source: docs/contract/agent-api.md §7, and the guide of workspaces, "Who may do
 * what".
 */
export function rightsIn({ id, role }: Pick<Workspace, 'id' | 'role'>): TeamRights {
  const isGeneral = id === GENERAL_ID;
  const isManager = role === 'owner' || role === 'admin';
  return {
    // In General, the server gives the admin role to exactly the organization's admins.
    mayRename: role === 'owner' || (isGeneral && isManager),
    mayManageMembers: isManager,
    mayLeave: !isGeneral && role !== 'owner',
  };
}

/** A team and the actions to manage it. Changes throw {@link ApiError}. */
export type Team = ReturnType<typeof createTeam>;

/** Creates a team without data; `refresh` reads it. */
export function createTeam(api: Api, teamId: string) {
  const state = createStore<TeamState>({ team: undefined, members: [], me: undefined, problem: undefined });
  const params = { path: { id: teamId } };
  const memberParams = (userId: string) => ({ path: { id: teamId, user_id: userId } });
  const refresh = async () => {
    try {
      const [team, members, me] = await Promise.all([
        // `/workspace` is the page's current workspace, which is this team.
        api.get('/workspace'),
        api.get('/workspaces/{id}/members', { params }),
        api.get('/me'),
      ]);
      state.set({ team, members, me: me.user_id, problem: undefined });
    } catch (error) {
      state.patch({ problem: messageOf(error) });
    }
  };
  return {
    state: state as Store<TeamState>,
    refresh,
    /** Changes name and icon. `icon` is one emoji, or '' for none. */
    async change({ name, icon }: { readonly name: string; readonly icon: string }) {
      const team = await api.patch('/workspaces/{id}', {
        params,
        body: { name: name.trim(), icon: icon.trim() || null },
      });
      state.patch({ team });
    },
    /** Returns the people of the organization whose name or e-mail address contains `text`. */
    findPeople: (text: string) => api.get('/people', { params: { query: { q: text } } }),
    /**
     * Returns the user ID that `text` means: of the person with this name, e-mail address or ID; otherwise the text itself, which may be
     * the ID of a person who hasn't used the agent yet. `many` for text that means several people, `none` for a name that no one has.
     */
    async idOf(text: string): Promise<{ readonly id: string } | 'none' | 'many'> {
      const sought = fold(text);
      const found = await api.get('/people', { params: { query: { q: text.trim() } } });
      const same = found.filter(({ user_id, name = '', email = '' }) =>
        [user_id, name, email].some((one) => fold(one) === sought),
      );
      const [person] = same;
      if (same.length > 1 || (!person && found.length > 0)) return 'many';
      if (person) return { id: person.user_id };
      // IDs have no spaces, and an address that no one has must not become a member that no one is.
      return /[\s@]/.test(sought) ? 'none' : { id: text.trim() };
    },
    /** Adds a member or changes their role. For General: readmits an excluded person. */
    async put(userId: string, role: 'admin' | 'editor') {
      await api.put('/workspaces/{id}/members/{user_id}', { params: memberParams(userId.trim()), body: { role } });
      await refresh();
    },
    /** Removes a member. For General: excludes a person. */
    async remove(userId: string) {
      await api.delete('/workspaces/{id}/members/{user_id}', { params: memberParams(userId) });
      await refresh();
    },
    /** Removes the caller from the team. @throws Error when the caller's user ID is unknown */
    async leave() {
      const { me } = state.get();
      if (me === undefined) throw new Error('The agent did not say who you are. Reload the page and try again.');
      await api.delete('/workspaces/{id}/members/{user_id}', { params: memberParams(me) });
    },
    /** Permanently deletes the team and everything in it. */
    async destroy() {
      await api.delete('/workspaces/{id}', { params });
    },
  };
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}
