import { createError } from '@berth/contract';
import type { BerthError } from '@berth/kit';
import { turnMessages } from '../chat/turn-messages.ts';
import { type OpenConnectors, openConnectors } from '../connectors/open-connectors.ts';
import { createWorkspaceStorage } from '../files/create-workspace-storage.ts';
import type { AgentApp } from '../http/agent-app.ts';
import type { AgentDeps } from '../http/agent-deps.ts';
import { createApp } from '../http/create-app.ts';
import { handlerOfAgent } from '../loop/handler-of-agent.ts';
import { openOutbound } from '../outbound/open-outbound.ts';
import { createOfficeFiles } from '../render/create-office-files.ts';
import { openRenderer } from '../render/open-renderer.ts';
import { createRunEngine } from '../runs/create-run-engine.ts';
import { openAgentDatabase } from '../store/open-agent-database.ts';
import { createSqlStores } from '../store/sql/create-sql-stores.ts';
import { createMembershipWatch } from '../workspaces/access/create-membership-watch.ts';
import type { MembershipWatch } from '../workspaces/access/membership-watch.ts';
import { type OpenWorkspaces, openWorkspaces } from '../workspaces/open-workspaces.ts';
import type { Agent } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { dataFolderOf } from './data-folder.ts';
import { registerRoutes, registerSiteRoutes } from './register-routes.ts';
import type { Surroundings } from './surroundings.ts';

/** An agent whose database is open. */
export interface OpenAgent {
  readonly app: AgentApp;
  readonly deps: AgentDeps;
  /** Takes no new turns, lets those that run end for `drainMs`, interrupts the others, and stores what there is. */
  drain(drainMs: number): Promise<void>;
  /** Closes the database. */
  close(): Promise<void>;
}

/**
 * Opens what an agent needs and registers its routes, the owner's between those of the contract and the site.
 * @throws BerthError with what to do, when its settings or its database can't be used, and in production when nothing that an
 * agent with sign-in keeps would outlive its instance.
 */
export async function openAgent(
  options: AgentOptions,
  surroundings: Surroundings,
  routes: Agent['routes'],
): Promise<OpenAgent> {
  const { environment, workingFolder, clock, ids, logger } = surroundings;
  const isProduction = environment['NODE_ENV'] === 'production' || environment['K_SERVICE'] !== undefined;
  const authenticator = options.auth?.open({ environment, isProduction, clock, logger });
  const { folder: dataFolder, isChosen } = dataFolderOf(options, environment, workingFolder);
  const outbound = openOutbound(options, surroundings);
  const url = options.databaseUrl ?? environment['DATABASE_URL'];
  if (authenticator && isProduction && !isChosen) {
    if (!url) throw noLastingPlace(options.name, environment);
    logger.warn({ dataFolder }, 'files go with the instance: deploy the agent with a volume');
  }
  const stores = createSqlStores(
    await openAgentDatabase({
      // Without sign-in nothing is kept.
      place: authenticator ? { dataFolder, url } : 'memory',
      logger,
    }),
  );
  let workspaces: OpenWorkspaces | undefined;
  let watch: MembershipWatch | undefined;
  let connectors: OpenConnectors | undefined;
  try {
    const storage = authenticator && (await createWorkspaceStorage({ dataFolder, stores, clock, ids, logger }));
    workspaces = options.workspaces && openWorkspaces({ clock, ids, logger, stores, storage }, options.workspaces);
    watch = workspaces && createMembershipWatch({ registry: workspaces.registry, clock, logger });
    const office =
      authenticator && createOfficeFiles({ dataFolder, clock, logger, open: () => openRenderer(options, environment) });
    const runs = createRunEngine({
      ...{ store: stores.runs, clock, ids, logger, instance: ids.next('instance') },
      finish: turnMessages,
    });
    if ((options.connectors ?? []).length > 0) {
      const places = { environment, dataFolder, isProduction, stores, outbound };
      if (authenticator) connectors = await openConnectors({ options, ...places, clock, ids, logger });
      else logger.warn({}, 'connectors are of who signs in: without auth there are none');
    }
    const app = createApp({ logger, clock, ids });
    const deps: AgentDeps = {
      ...{
        options,
        handler: handlerOfAgent(options, { stores, storage, clock, connectors }),
        authenticator,
        stores,
        runs,
        storage,
        office,
        registry: workspaces?.registry,
        watch,
        outbound,
        connectors,
        dataFolder,
        workingFolder,
        isProduction,
        environment,
        clock,
        ids,
        logger,
      },
    };
    registerRoutes(app, deps);
    app.route('/', routes);
    registerSiteRoutes(app, deps);
    return {
      app,
      deps,
      drain: (drainMs) => runs.close({ drainMs }),
      async close() {
        await office?.close();
        outbound.close();
        await connectors?.close();
        await watch?.close();
        await workspaces?.close();
        await stores.close();
      },
    };
  } catch (error) {
    // It is tried again with the next request, with a database of its own.
    await connectors?.close();
    await watch?.close();
    await workspaces?.close();
    await stores.close();
    throw error;
  }
}

function noLastingPlace(name: string, environment: Surroundings['environment']): BerthError {
  const deployment = environment['K_SERVICE'];
  const volume =
    deployment === undefined
      ? 'Set BERTH_AGENT_DATA to a folder that lasts'
      : `Deploy it with --volume /data=${deployment}`;
  return createError(
    'invalid',
    `The agent ${name} has sign-in, so it keeps chats and files, but no writable volume to keep them in: they would be lost with ` +
      `the instance. ${volume}, or set DATABASE_URL to a Postgres database.`,
  );
}
