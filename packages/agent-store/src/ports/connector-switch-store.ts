/** Who a switch is for. Each level narrows the one before. */
export type SwitchLevel = 'org' | 'workspace' | 'person';

/** Whose switches: the org's id, the workspace's key, the key of the person inside of the workspace. */
export interface SwitchOwner {
  readonly level: SwitchLevel;
  readonly owner: string;
}

export interface ConnectorSwitch extends SwitchOwner {
  readonly connector: string;
  readonly isOn: boolean;
}

/** Which connectors an organisation, a workspace and a person have on. What nothing is kept of is on. */
export interface ConnectorSwitchStore {
  set(change: ConnectorSwitch): Promise<void>;
  /** All of these owners. */
  listOf(owners: readonly SwitchOwner[]): Promise<readonly ConnectorSwitch[]>;
}
