import type { OwnTool } from '@berth/contract/agent';
import type { Api } from '../../api/api.ts';

/** One of the agent's own tools, or a tool that no longer exists but still has a mode chosen by the person. */
export type ListedTool = Pick<OwnTool, 'name' | 'mode' | 'is_chosen'> &
  Partial<Pick<OwnTool, 'description' | 'risk' | 'is_available'>>;

/** Reads the agent's own tools and the modes that the person chose. */
export async function readOwnTools(api: Pick<Api, 'get'>): Promise<readonly ListedTool[]> {
  const [tools, modes] = await Promise.all([api.get('/tools/offered'), api.get('/tools')]);
  const names = new Set(tools.map(({ name }) => name));
  const others = Object.entries(modes).filter(([name]) => !names.has(name));
  return [...tools, ...others.map(([name, mode]) => ({ name, mode, is_chosen: true }))];
}
