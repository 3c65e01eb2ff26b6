import type { ConnectorSwitchStore, SwitchOwner } from '@berth/agent-store';
import { createError } from '@berth/contract';
import type { GrantScope } from '@berth/contract/agent';
import type { Clock } from '@berth/kit';
import type { ConnectorCaller } from '../connector/caller.ts';
import type { Connector } from '../connector/connector.ts';
import type { HeldCredential } from '../connector/grants.ts';
import type { Vault } from '../credentials/create-vault.ts';
import { isLive } from '../credentials/is-live.ts';
import { mayManage, slotsOf } from '../credentials/slots-of.ts';

/** The state of a connector for one caller. */
export interface ConnectorState {
  readonly connector: Connector;
  /**
   * The scope of the credential that a call would use; undefined when there is none. `user` for a connector without
   * authentication.
   */
  readonly connectedAs: GrantScope | undefined;
  /** There is a credential, but it has expired or was rejected. */
  readonly isExpired: boolean;
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
export type ConnectorDirectory = ReturnType<typeof createConnectorDirectory>;

/** Dependencies of {@link createConnectorDirectory}. */
export interface DirectoryDeps {
  readonly connectors: readonly Connector[];
  readonly vault: Pick<Vault, 'listOf'>;
  readonly switches: ConnectorSwitchStore;
  readonly clock: Clock;
}

/**
 * Creates the directory. It combines what the organization allows, the workspace has enabled, the user has switched on,
 * and what is connected.
 */
export function createConnectorDirectory({ connectors, vault, switches, clock }: DirectoryDeps) {
  const list = async (caller: ConnectorCaller): Promise<readonly ConnectorState[]> => {
    const levels = levelsOf(caller);
    const [held, off] = await Promise.all([
      vault.listOf([...new Set([caller.person, caller.workspace.key])]),
      switches.listOf(levels).then((all) => all.filter(({ isOn }) => !isOn)),
    ]);
    const isOff = (name: string, level: SwitchOwner['level']) =>
      off.some((one) => one.connector === name && one.level === level);
    return connectors
      .map((connector): ConnectorState => {
        const isAllowed = !isOff(connector.name, 'org');
        const isEnabled = !isOff(connector.name, 'workspace');
        const isOn = !isOff(connector.name, 'person');
        return {
          connector,
          ...connectionOf(caller, connector, held, clock.nowMs()),
          isAllowed,
          isEnabled,
          isOn,
          isUsable: isAllowed && isEnabled && isOn,
          isAdmin: mayManage(caller),
        };
      })
      .filter((state) => isSeen(caller, state));
  };
  return {
    /** Returns the connectors that the caller may see, in the order of their declaration. Runs two queries. */
    list,
    /**
     * Returns the state of one connector.
     * @throws `not_found` both for an undeclared connector and for one that the caller may not see.
     */
    async get(caller: ConnectorCaller, name: string): Promise<ConnectorState> {
      const state = (await list(caller)).find(({ connector }) => connector.name === name);
      if (!state) throw createError('not_found', 'No such connector.');
      return state;
    },
  };
}

/** Returns the owners of the switches that apply to the caller. */
export function levelsOf({ user, owner, workspace }: ConnectorCaller): readonly SwitchOwner[] {
  return [
    ...(user.orgId === undefined ? [] : [{ level: 'org', owner: user.orgId } as const]),
    { level: 'workspace', owner: workspace.key },
    { level: 'person', owner },
  ];
}

/** Reports whether the caller decides what the organization allows. */
export function isOrgAdmin({ user }: Pick<ConnectorCaller, 'user'>): boolean {
  return user.orgId !== undefined && user.orgRole === 'admin';
}

/** A connector that a level has switched off is visible only to callers who can switch it on. */
function isSeen(caller: ConnectorCaller, { isAllowed, isEnabled, isAdmin }: ConnectorState): boolean {
  return (isAllowed || isOrgAdmin(caller)) && (isEnabled || isAdmin);
}

function connectionOf(
  caller: ConnectorCaller,
  connector: Connector,
  all: readonly HeldCredential[],
  nowMs: number,
): Pick<ConnectorState, 'connectedAs' | 'isExpired'> {
  if (connector.auth.type === 'none') return { connectedAs: 'user', isExpired: false };
  for (const { scope, owner } of slotsOf(caller, connector)) {
    const held = all.find((one) => one.owner === owner && one.connector === connector.name);
    if (!held) continue;
    const isUsable = isLive(held, connector, nowMs);
    return { connectedAs: isUsable ? scope : undefined, isExpired: !isUsable };
  }
  return { connectedAs: undefined, isExpired: false };
}
