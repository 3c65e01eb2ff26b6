import type { ToolMode } from '@berth/contract/agent';
import type { OwnerKey } from './owner-key.ts';

export type { ToolMode };

/** The tool settings of users. */
export interface SettingStore {
  toolModes(owner: OwnerKey): Promise<Readonly<Record<string, ToolMode>>>;
  /** Stores a mode. With `definitionHash` it applies to that definition of the tool only. */
  setToolMode(owner: OwnerKey, tool: string, mode: ToolMode, definitionHash?: string): Promise<void>;
  /** Returns the SHA-256 of the definition for each tool whose mode applies to one definition only. */
  toolDefinitions(owner: OwnerKey): Promise<Readonly<Record<string, string>>>;
  /** Resets a tool to its default mode. Idempotent. */
  clearToolMode(owner: OwnerKey, tool: string): Promise<void>;
}
