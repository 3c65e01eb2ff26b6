import type { OwnTool } from '@berth/contract/agent';
import { chosenMode, type ToolChoices } from '../approvals/chosen-mode.ts';
import { decideTool } from '../approvals/decide-tool.ts';
import type { AgentOptions } from '../define/agent-options.ts';
import type { User } from '../define/user.ts';

/** The tools that the agent's owner gave it, as they are for the person; without those that they may not have. */
export async function listOwnTools(
  { tools = [], isToolAllowed }: Pick<AgentOptions, 'tools' | 'isToolAllowed'>,
  user: User,
  choices: ToolChoices,
): Promise<OwnTool[]> {
  const rows: OwnTool[] = [];
  for (const tool of tools) {
    if (isToolAllowed && (await isToolAllowed(tool, user)) === false) continue;
    const { name, description, risk } = tool;
    const mode = chosenMode(tool, choices);
    const byDefault = decideTool({ isSwitchedOn: true, mode: undefined, auto: true, risk });
    rows.push({
      ...{ name, description, risk, is_chosen: mode !== undefined },
      mode: mode ?? (byDefault === 'ask' ? 'ask' : 'allow'),
      is_available: (await tool.unavailable?.()) === undefined,
    });
  }
  return rows;
}
