import type { ToolMode } from '@berth/contract/agent';
import type { OwnerKey } from '../define/user.ts';

export type { ToolMode };

/** How a person wants tools to be treated. */
export interface SettingStore {
  toolModes(owner: OwnerKey): Promise<Readonly<Record<string, ToolMode>>>;
  setToolMode(owner: OwnerKey, tool: string, mode: ToolMode): Promise<void>;
  /** Back to the default; twice does nothing more. */
  clearToolMode(owner: OwnerKey, tool: string): Promise<void>;
}
