import type { Tool } from '@berth/agent-core';
import type { ToolMode } from '@berth/contract/agent';

/** What a person chose for tools, by the keys of their settings. */
export interface ToolChoices {
  readonly modes: Readonly<Record<string, ToolMode>>;
  /** The definition that a mode was chosen for. */
  readonly definitions: Readonly<Record<string, string>>;
}

/** What the person chose for the tool; undefined when nothing. What changed since is not what they said to always allow. */
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
