import type { Tool, ToolDecision, ToolRisk } from '@berth/agent-core';
import type { ToolMode } from '@berth/contract/agent';

export interface ToolQuestion {
  /** The organization's switch. */
  readonly isSwitchedOn: boolean;
  /** The person's choice, if any. */
  readonly mode: ToolMode | undefined;
  /** False when the person wants to approve every write. */
  readonly auto: boolean;
  readonly risk: ToolRisk;
}

/** Decides whether a tool may be called. The first rule that applies wins. Source: docs/contract/agent-api.md §2, "Approvals". */
export function decideTool({ isSwitchedOn, mode, auto, risk }: ToolQuestion): ToolDecision {
  if (!isSwitchedOn || mode === 'never') return 'hide';
  if (mode === 'allow') return 'run';
  if (mode === 'ask' || risk === 'destructive') return 'ask';
  return risk === 'write' && !auto ? 'ask' : 'run';
}

/** A person's choices for tools, by setting key. */
export interface ToolChoices {
  readonly modes: Readonly<Record<string, ToolMode>>;
  /** Hash of the definition for which the mode was chosen. */
  readonly definitions: Readonly<Record<string, string>>;
}

/** Returns the person's mode for the tool, if any. `allow` becomes `ask` when the tool's definition has changed since. */
export function chosenMode(
  tool: Pick<Tool, 'name' | 'settingKey' | 'definitionHash'>,
  { modes, definitions }: ToolChoices,
): ToolMode | undefined {
  const key = tool.settingKey ?? tool.name;
  const chosen = Object.hasOwn(modes, key) ? modes[key] : undefined;
  const definition = Object.hasOwn(definitions, key) ? definitions[key] : undefined;
  const isOther = definition !== undefined && definition !== tool.definitionHash;
  return chosen === 'allow' && isOther ? 'ask' : chosen;
}
