/** The level of a switch. Each level narrows the one before. */
export type SwitchLevel = 'org' | 'workspace' | 'person';

/** The owner of switches: the organization's id, the workspace's key, or the user's key within the workspace. */
export interface SwitchOwner {
  readonly level: SwitchLevel;
  readonly owner: string;
}

/** A connector that is switched on or off. */
export interface ConnectorSwitch extends SwitchOwner {
  readonly connector: string;
  readonly isOn: boolean;
}

/** The connectors that organizations, workspaces and users have on. A connector without a switch is on. */
export interface ConnectorSwitchStore {
  set(change: ConnectorSwitch): Promise<void>;
  /** Returns all switches of these owners. */
  listOf(owners: readonly SwitchOwner[]): Promise<readonly ConnectorSwitch[]>;
}
