import type { AgentClient } from '@berth/client';
import type { Workspace } from '@berth/contract/agent';
import { explainUnauthenticated, findAgent } from './find-agent.ts';
import { findWorkspace } from './find-workspace.ts';

/** The word of commands that call an agent. */
export const AGENT_WORD = { '<agent>': 'Name of a deployment, or the URL of any agent' } as const;

/** The option of commands that call an agent as a person. */
export const TOKEN_OPTION = {
  '--token <token>': 'Your access token, for an agent with its own identity provider (BERTH_AGENT_TOKEN)',
} as const;

/** The options of commands that call an agent in one of the person's workspaces. */
export const AGENT_OPTIONS = {
  '--workspace <id or name>': 'Team workspace to use; your personal one by default. `berth workspaces` lists them',
  ...TOKEN_OPTION,
} as const;

interface AgentChoice {
  /** Id or name of a workspace; the personal one by default. */
  readonly workspace?: string;
  readonly token?: string;
}

/**
 * Finds the agent and the workspace that a command line names, and returns the result of `work` with them. An `unauthenticated` error
 * tells how to give a token.
 * @throws UsageError for a word that names no agent; BerthError `not_found` for an unknown deployment or workspace
 */
export async function useAgent<Result>(
  word: string,
  { workspace: wanted, token }: AgentChoice,
  context: Parameters<typeof findAgent>[2],
  work: (agent: AgentClient, workspace: Workspace | undefined) => Promise<Result>,
): Promise<Result> {
  const found = await findAgent(word, token, context);
  try {
    const workspace = wanted === undefined ? undefined : await findWorkspace(found, wanted);
    return await work(workspace ? found.inWorkspace(workspace.id) : found, workspace);
  } catch (error) {
    throw explainUnauthenticated(error, word);
  }
}
