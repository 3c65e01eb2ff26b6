import type { OwnTool, ToolMode } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { createStore, type Store } from '../../store/store.ts';

/** One of the agent's own tools, or a tool that no longer exists but still has a mode chosen by the person. */
export type ListedTool = Pick<OwnTool, 'name' | 'mode' | 'is_chosen'> &
  Partial<Pick<OwnTool, 'description' | 'risk' | 'is_available'>>;

/** The state of the tool list. */
export interface OwnToolsState {
  /** Undefined until the tools are read. */
  readonly tools: readonly ListedTool[] | undefined;
  readonly error: unknown;
}

/** The agent's own tools and the modes that the person chose. */
export interface OwnTools {
  readonly state: Store<OwnToolsState>;
  refresh(): Promise<void>;
  /** Sets the mode of a tool; undefined restores its default. An error is stored in the state. */
  decide(name: string, mode: ToolMode | undefined): Promise<void>;
}

/** Creates a list without data; {@link OwnTools.refresh} reads it. */
export function createOwnTools(api: Api): OwnTools {
  const state = createStore<OwnToolsState>({ tools: undefined, error: undefined });
  const refresh = async () => {
    try {
      const [tools, modes] = await Promise.all([api.get('/tools/offered'), api.get('/tools')]);
      const names = new Set(tools.map(({ name }) => name));
      const others = Object.entries(modes).filter(([name]) => !names.has(name));
      const kept = others.map(([name, mode]) => ({ name, mode, is_chosen: true }));
      state.set({ tools: [...tools, ...kept], error: undefined });
    } catch (error) {
      state.patch({ error });
    }
  };
  return {
    state,
    refresh,
    async decide(name, mode) {
      const params = { path: { tool: name } };
      try {
        if (mode === undefined) await api.delete('/tools/{tool}', { params });
        else await api.put('/tools/{tool}', { params, body: { mode } });
        await refresh();
      } catch (error) {
        // After a failed change, show the modes that the server has.
        await refresh();
        state.patch({ error });
      }
    },
  };
}
