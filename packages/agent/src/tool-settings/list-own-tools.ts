import type { User } from '@berth/agent-core';
import type { OwnTool } from '@berth/contract/agent';
import { chosenMode, type ToolChoices } from '../approvals/chosen-mode.ts';
import { decideTool } from '../approvals/decide-tool.ts';
import type { LoopOptions } from '../loop/loop-options.ts';

/** The loop options that determine which tools an agent offers. */
export type OwnToolsOptions = Pick<LoopOptions, 'tools' | 'isToolAllowed'>;

/** Returns the agent's own tools with the user's settings. Leaves out tools that the user isn't allowed to use. */
export async function listOwnTools(
  { tools = [], isToolAllowed }: OwnToolsOptions,
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
      name,
      description,
      risk,
      is_chosen: mode !== undefined,
      mode: mode ?? (byDefault === 'ask' ? 'ask' : 'allow'),
      is_available: (await tool.unavailable?.()) === undefined,
    });
  }
  return rows;
}
