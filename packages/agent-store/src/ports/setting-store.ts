import type { ToolMode } from '@berth/contract/agent';
import type { OwnerKey } from './owner-key.ts';

export type { ToolMode };

/** How a person wants tools to be treated. */
export interface SettingStore {
  toolModes(owner: OwnerKey): Promise<Readonly<Record<string, ToolMode>>>;
  /** With `definitionHash` it is of the tool as it was then. */
  setToolMode(owner: OwnerKey, tool: string, mode: ToolMode, definitionHash?: string): Promise<void>;
  /** Of the tools whose mode is of one definition: its SHA-256. */
  toolDefinitions(owner: OwnerKey): Promise<Readonly<Record<string, string>>>;
  /** Back to the default; twice does nothing more. */
  clearToolMode(owner: OwnerKey, tool: string): Promise<void>;
}
