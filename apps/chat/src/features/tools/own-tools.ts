import type { OwnTool, ToolMode } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';
import { createStore, type Store } from '../../store/store.ts';

/** A tool of the agent's own, or one that it had once and something was decided of. */
export type ListedTool = Pick<OwnTool, 'name' | 'mode' | 'is_chosen'> &
  Partial<Pick<OwnTool, 'description' | 'risk' | 'is_available'>>;

export interface OwnToolsState {
  /** Undefined until they are read. */
  readonly tools: readonly ListedTool[] | undefined;
  readonly error: unknown;
}

/** The agent's own tools, and what the person decided of each. */
export interface OwnTools {
  readonly state: Store<OwnToolsState>;
  refresh(): Promise<void>;
  /** Undefined: back to what the tool does by itself. */
  decide(name: string, mode: ToolMode | undefined): Promise<void>;
}

export function createOwnTools(api: Api): OwnTools {
  const state = createStore<OwnToolsState>({ tools: undefined, error: undefined });
  const refresh = async () => {
    try {
      const [tools, modes] = await Promise.all([
        api.json<readonly OwnTool[]>('/tools/offered'),
        api.json<Readonly<Record<string, ToolMode>>>('/tools'),
      ]);
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
      const path = `/tools/${encodeURIComponent(name)}`;
      try {
        if (mode === undefined) await api.json(path, { method: 'DELETE' });
        else await api.sendJson('PUT', path, { mode });
        await refresh();
      } catch (error) {
        // The list stays as the server has it.
        await refresh();
        state.patch({ error });
      }
    },
  };
}
