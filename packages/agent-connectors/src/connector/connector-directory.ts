import type { GrantScope } from '@berth/contract/agent';
import type { ConnectorCaller } from './caller.ts';
import type { Connector } from './connector.ts';

/** What a connector is for a caller now. */
export interface ConnectorState {
  readonly connector: Connector;
  /** Whose credential a call would use; undefined when there is none. A connector without auth is `user`. */
  readonly connectedAs: GrantScope | undefined;
  /** The organisation allows it. Only its admins see those that it does not. */
  readonly isAllowed: boolean;
  /** The workspace has it. Only its managers see those that it hasn't. */
  readonly isEnabled: boolean;
  /** The person wants it in turns. */
  readonly isOn: boolean;
  /** Allowed, enabled and on: turns and calls may use it, once connected. */
  readonly isUsable: boolean;
  /** The caller manages what the workspace shares. */
  readonly isAdmin: boolean;
}

/** Which connectors a person sees, and what they are to them. */
export interface ConnectorDirectory {
  /** Those the caller may see, in the owner's order. Two queries. */
  list(caller: ConnectorCaller): Promise<readonly ConnectorState[]>;
  /** @throws `not_found` for what isn't declared and what the caller may not see, alike. */
  get(caller: ConnectorCaller, name: string): Promise<ConnectorState>;
}
