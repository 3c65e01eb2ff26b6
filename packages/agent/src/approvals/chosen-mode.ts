import type { Tool } from '@berth/agent-core';
import type { ToolMode } from '@berth/contract/agent';

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
