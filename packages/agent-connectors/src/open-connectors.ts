import type { Outbound } from '@berth/agent-core';
import type { AgentStores } from '@berth/agent-store';
import { type Clock, type IdSource, type Logger, runInBackground } from '@berth/kit';
import type { Connector } from './connector/connector.ts';
import { createGrants } from './credentials/create-grants.ts';
import { createSecretRing } from './credentials/create-secret-ring.ts';
import { createVault } from './credentials/create-vault.ts';
import { loadKeys } from './credentials/load-keys.ts';
import { noteSweep, resealAll } from './credentials/reseal-all.ts';
import { createConnectorDirectory } from './directory/create-connector-directory.ts';
import { createConnectorLists } from './mcp/create-connector-lists.ts';
import { createServerClient } from './mcp/create-server-client.ts';
import { createGrantRenewal } from './oauth/create-grant-renewal.ts';
import { createWantedScopes } from './oauth/wanted-scopes.ts';
import { createConnectorTurns } from './turns/create-connector-turns.ts';

/** Options of {@link openConnectors}. */
export interface OpenConnectorsOptions {
  /** As the owner declared them. */
  readonly declared: readonly Connector[];
  /** See `AgentOptions.secretKeys`. */
  readonly secretKeys: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dataFolder: string;
  readonly isProduction: boolean;
  readonly stores: Pick<
    AgentStores,
    'grants' | 'oauthClients' | 'authorizations' | 'connectorSwitches' | 'connectorLists'
  >;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** The connectors of an open agent. */
export type OpenConnectors = Awaited<ReturnType<typeof openConnectors>>;

/** Delay before resealing. By then, instances of the previous revision, which lack a new key, have ended. */
const RESEAL_AFTER_MS = 30_000;

/**
 * Opens the connectors of an agent. Half a minute later, everything that is sealed with a former key is resealed.
 * @throws `invalid` for malformed keys; `unavailable` when the keys can't be stored.
 */
export async function openConnectors({
  declared,
  secretKeys,
  environment,
  dataFolder,
  isProduction,
  stores,
  outbound,
  clock,
  ids,
  logger,
}: OpenConnectorsOptions) {
  const keys = await loadKeys({ secretKeys, environment, dataFolder, isProduction, logger });
  const secrets = createSecretRing(keys);
  const vault = createVault({ store: stores.grants, secrets, clock, ids, logger });
  const renewal = createGrantRenewal({ vault, clients: stores.oauthClients, outbound, clock, ids, logger });
  const ending = new AbortController();
  let sweep: Promise<void> = Promise.resolve();
  const reseal = async () => {
    try {
      const deps = { grants: stores.grants, clients: stores.oauthClients, vault, secrets };
      const { count, unreadable } = await resealAll(deps, ending.signal);
      const fields = { key: secrets.currentKeyId, count, unreadable };
      if (keys.length > 1 || count + unreadable > 0)
        logger.info(fields, 'connections are encrypted with the current key');
      await noteSweep(dataFolder, secrets.currentKeyId);
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
  };
  const timer = clock.setTimer(RESEAL_AFTER_MS, () => {
    sweep = reseal();
    runInBackground('encrypt connections with the current key', sweep, logger);
  });
  const grants = createGrants({ vault, renewal, clock });
  const wantedScopes = createWantedScopes({ authorizations: stores.authorizations, secrets, clock });
  const directory = createConnectorDirectory({
    connectors: declared,
    vault,
    switches: stores.connectorSwitches,
    clock,
  });
  const servers = createServerClient({ grants, wantedScopes, outbound, clock });
  const lists = createConnectorLists({ servers, store: stores.connectorLists, clock, logger });
  return {
    declared,
    secrets,
    vault,
    grants,
    wantedScopes,
    directory,
    lists,
    turns: createConnectorTurns({ directory, servers, lists, grants, outbound, clock }),
    async close() {
      timer.cancel();
      ending.abort();
      await sweep.catch(() => {});
    },
  };
}
