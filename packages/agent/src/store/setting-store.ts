import type { OwnerKey } from '../define/user.ts';

export const TOOL_MODES = ['allow', 'ask', 'never'] as const;

/** What a person decided about a tool. Source: spec agent-api 2, "Approvals". */
export type ToolMode = (typeof TOOL_MODES)[number];

/** How a person wants tools to be treated. */
export interface SettingStore {
  toolModes(owner: OwnerKey): Promise<Readonly<Record<string, ToolMode>>>;
  setToolMode(owner: OwnerKey, tool: string, mode: ToolMode): Promise<void>;
  /** Back to the default; twice does nothing more. */
  clearToolMode(owner: OwnerKey, tool: string): Promise<void>;
}
