import type { Outbound } from '@berth/agent-core';
import type { ConnectorListStore } from '@berth/agent-store';
import type { Clock, Logger } from '@berth/kit';
import type { ConnectorDirectory } from '../connector/connector-directory.ts';
import type { Grants } from '../connector/grants.ts';
import { type ConnectorLists, createConnectorLists } from '../mcp/create-connector-lists.ts';
import { createServerClient } from '../mcp/create-server-client.ts';
import type { WantedScopes } from '../oauth/wanted-scopes.ts';
import { createConnectorTurns, type OpenConnectorTurns } from './create-connector-turns.ts';
import { createHandleMaker } from './create-handle.ts';
import { createResultFormatter } from './create-result-formatter.ts';

/** Options of {@link openConnectorTurns}. */
export interface OpenConnectorTurnsOptions {
  readonly directory: ConnectorDirectory;
  readonly grants: Grants;
  readonly wantedScopes: WantedScopes;
  readonly outbound: Outbound;
  readonly store: ConnectorListStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the lists of connectors' tools and their use in turns. */
export function openConnectorTurns({
  directory,
  grants,
  wantedScopes,
  outbound,
  store,
  clock,
  logger,
}: OpenConnectorTurnsOptions): {
  readonly lists: ConnectorLists;
  readonly turns: OpenConnectorTurns;
} {
  const servers = createServerClient({ grants, wantedScopes, outbound, clock });
  const lists = createConnectorLists({ servers, store, clock, logger });
  const formatter = createResultFormatter({ clock });
  const handles = createHandleMaker({ grants, outbound });
  return { lists, turns: createConnectorTurns({ directory, servers, lists, formatter, handles }) };
}
