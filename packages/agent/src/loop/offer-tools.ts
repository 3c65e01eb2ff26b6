import type { OfferedTools, Tool, ToolDecision, User } from '@berth/agent-core';
import { chosenMode, decideTool, type ToolChoices } from '../approvals/decide-tool.ts';

export interface OfferToolsOptions {
  readonly tools: readonly Tool[];
  readonly user: User | undefined;
  /** Tools left out of this turn, by name or setting key. */
  readonly disabled: readonly string[];
  readonly choices: ToolChoices;
  readonly auto: boolean;
  /** Called for tools that can't be used on this machine. */
  onUnavailable(tool: Tool, problem: string): void;
  isToolAllowed?(tool: Tool, user: User | undefined): boolean | Promise<boolean>;
}

/** Decides about each tool, once per turn. The model can't call a hidden tool, even if it knows the name. */
export async function offerTools(options: OfferToolsOptions): Promise<OfferedTools> {
  const { tools, user, disabled, choices, auto, isToolAllowed, onUnavailable } = options;
  const offered = new Map<string, { readonly tool: Tool; readonly decision: Exclude<ToolDecision, 'hide'> }>();
  for (const tool of tools) {
    const key = tool.settingKey ?? tool.name;
    if (disabled.includes(tool.name) || disabled.includes(key)) continue;
    const isSwitchedOn = isToolAllowed ? ((await isToolAllowed(tool, user)) ?? true) : true;
    const mode = chosenMode(tool, choices);
    const decision = decideTool({ isSwitchedOn, mode, auto, risk: tool.risk });
    if (decision === 'hide') continue;
    const problem = tool.unavailable && (await tool.unavailable());
    if (problem !== undefined) onUnavailable(tool, problem);
    else offered.set(tool.name, { tool, decision });
  }
  const list = [...offered.values()].map(({ tool: { name, description, inputSchema } }) => ({
    name,
    description,
    inputSchema,
  }));
  return { find: (name) => offered.get(name), names: [...offered.keys()], list };
}
