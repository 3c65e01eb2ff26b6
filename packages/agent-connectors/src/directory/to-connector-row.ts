import type { ConnectorRow } from '@berth/contract/agent';
import type { ConnectorState } from './create-connector-directory.ts';

/** Returns a connector as `GET /connectors` shows it, without anything about its credentials. */
export function toConnectorRow({ connector, connectedAs, isExpired, ...state }: ConnectorState): ConnectorRow {
  const { name, kind, scope, auth, shown, icon, server, api } = connector;
  const address = server?.url ?? api?.baseUrl;
  return {
    name,
    kind,
    scope,
    auth: auth.type,
    title: shown.title,
    description: shown.description,
    ...(icon !== undefined && { icon }),
    connected: connectedAs !== undefined,
    connected_as: connectedAs ?? null,
    ...(isExpired && { expired: true }),
    ...(address !== undefined && { url: new URL(address).origin }),
    on: state.isOn,
    allowed: state.isAllowed,
    enabled: state.isEnabled,
    admin: state.isAdmin,
  };
}
