import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from './caller.ts';
import type { Connector } from './connector.ts';

/** The state of a connector for one caller. */
export interface ConnectorState {
  readonly connector: Connector;
  /**
   * The scope of the credential that a call would use; undefined when there is none. `user` for a connector without
   * authentication.
   */
  readonly connectedAs: GrantScope | undefined;
  /** The organization allows the connector. Connectors that it doesn't allow are visible to its admins only. */
  readonly isAllowed: boolean;
  /** The workspace has the connector enabled. Disabled connectors are visible to the workspace's managers only. */
  readonly isEnabled: boolean;
  /** The user has the connector switched on for turns. */
  readonly isOn: boolean;
  /** Allowed, enabled and on: turns and calls may use the connector once it is connected. */
  readonly isUsable: boolean;
  /** The caller manages the workspace's shared connections. */
  readonly isAdmin: boolean;
}

/** The connectors that a user may see, with their state. */
export interface ConnectorDirectory {
  /** Returns the connectors that the caller may see, in the order of their declaration. Runs two queries. */
  list(caller: ConnectorCaller): Promise<readonly ConnectorState[]>;
  /**
   * Returns the state of one connector.
   * @throws `not_found` both for an undeclared connector and for one that the caller may not see.
   */
  get(caller: ConnectorCaller, name: string): Promise<ConnectorState>;
}
