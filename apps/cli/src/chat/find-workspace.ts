import type { AgentClient } from '@berth/client';
import type { Workspace } from '@berth/contract/agent';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import { UsageError } from '../errors/usage-error.ts';

/**
 * Finds a workspace by its id, or by its name in any case.
 * @throws UsageError for an ambiguous name; BerthError `not_found` for an unknown one, and for an agent without workspaces
 */
export async function findWorkspace(agent: AgentClient, word: string): Promise<Workspace> {
  const workspaces = await listWorkspaces(agent);
  const byId = workspaces.find(({ id }) => id === word);
  const byName = workspaces.filter(({ name }) => name.toLowerCase() === word.normalize('NFC').trim().toLowerCase());
  const [found, ...others] = byId ? [byId] : byName;
  if (!found) {
    throw createError(
      'not_found',
      `You are in no workspace "${word}" of this agent. \`berth workspaces\` lists those that you are in.`,
    );
  }
  if (others.length === 0) return found;
  const ids = byName.map(({ id }) => id).join(', ');
  throw new UsageError(`--workspace: several are named "${word}". Give an id: ${ids}`);
}

/** Lists the person's workspaces. @throws BerthError `not_found` for an agent without workspaces */
export async function listWorkspaces(agent: AgentClient): Promise<readonly Workspace[]> {
  try {
    return await agent.get('/workspaces');
  } catch (error) {
    if (!BerthError.is(error, 'not_found')) throw error;
    throw createError('not_found', 'This agent has no workspaces: each person works in their own chats.', {
      cause: error,
    });
  }
}
