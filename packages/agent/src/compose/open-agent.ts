import { fileURLToPath } from 'node:url';
import { lazySecretRing, type OpenConnectors, openConnectors } from '@berth/agent-connectors';
import {
  type AgentApp,
  type Authenticator,
  continueTrace,
  createApp,
  createOutbound,
  type Outbound,
  type RouteGuard,
  traceHeaders,
  traceLogger,
} from '@berth/agent-core';
import { createOfficeFiles, openRenderer } from '@berth/agent-render';
import { type AgentStores, createHeartbeatThread } from '@berth/agent-store';
import { createSqlStores, openAgentDatabase } from '@berth/agent-store/sql';
import { createError } from '@berth/contract';
import { AGENT_LIMITS } from '@berth/contract/agent';
import { createBudgets } from '../budgets/create-budgets.ts';
import { createWorkInProgress } from '../busy/work-in-progress.ts';

import { openProtocols } from '../protocols/open-protocols.ts';
import { createRunEngine, type RunEngine } from '../runs/create-run-engine.ts';

import { createWorkspaceStorage, type WorkspaceStorage } from '../storage/create-workspace-storage.ts';
import { TASK_LEASE_MS } from '../tasks/create-task-engine.ts';
import { openTasks, type TasksOptions } from '../tasks/open-tasks.ts';
import { registerWakeUp } from '../tasks/routes/receive-cron.ts';
import { registerTaskRoutes } from '../tasks/routes/register-task-routes.ts';
import { CRON, createTaskDefinitions } from '../tasks/task-definitions.ts';
import { createTitles } from '../titles/create-titles.ts';
import { openTracing } from '../tracing/open-tracing.ts';
import { traceTurns } from '../tracing/trace-turns.ts';
import { startAgentRun } from '../turns/agent-run.ts';
import { runOnce as runOnceIn } from '../turns/run-once.ts';
import { continueAnswer, resumeTurn } from '../turns/start-turn.ts';
import { turnMessages } from '../turns/turn-messages.ts';
import { createMembershipWatch } from '../workspaces/access/create-membership-watch.ts';
import { createWorkspaceRegistry } from '../workspaces/create-workspace-registry.ts';
import { createPeopleRecorder } from '../workspaces/people-recorder.ts';
import { createWorkspacePurge } from '../workspaces/workspace-purge.ts';
import type { Agent } from './agent.ts';
import { agentConfig } from './agent-config.ts';
import { type AgentOptions, hasTitles } from './agent-options.ts';
import { createTurnHandler } from './create-turn-handler.ts';
import { crossOrigin } from './cross-origin.ts';
import { dataFolderOf, openDataPlace } from './data-place.ts';
import type { ProcessContext } from './process-context.ts';
import { type RouteDeps, registerRoutes, registerSiteRoutes } from './register-routes.ts';

/** Time to end and store a turn that has used its whole budget. A run that takes longer belongs to a process that hangs. */
const SETTLE_MS = 5 * 60_000;

/** An agent with its database open. */
export interface OpenAgent {
  readonly app: AgentApp;
  /** Guards the owner's own routes. */
  readonly guard: RouteGuard;
  readonly run: Agent['run'];
  readonly tasks: Agent['tasks'];
  /** Accepts no new turns, lets running turns finish for `drainMs`, interrupts the rest, and stores what they produced. */
  drain(drainMs: number): Promise<void>;
  /** Closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the parts of an agent and registers its routes: the contract's, the owner's, then the site's. The turns that run are added to
 * `work`.
 * @throws BerthError saying what to do, when an option or the database can't be used, and in production when an agent with
 * sign-in has no storage that outlives its instance.
 */
export async function openAgent(
  options: AgentOptions,
  given: ProcessContext,
  routes: Agent['routes'],
  definitions = createTaskDefinitions(),
  work = createWorkInProgress(given.logger),
): Promise<OpenAgent> {
  const processContext = { ...given, logger: traceLogger(given.logger) };
  const { environment, workingFolder, clock, ids, logger } = processContext;
  const isProduction = environment['NODE_ENV'] === 'production' || environment['K_SERVICE'] !== undefined;
  const authenticator = options.auth?.open({ environment, isProduction, clock, logger });
  const hasTasks = definitions.names.length > 0;
  const kept = authenticator ? 'sign-in' : hasTasks ? 'tasks' : undefined;
  const lasting = kept && (await openDataPlace(options, processContext, { isProduction, kept }));
  const dataFolder = lasting?.dataFolder ?? dataFolderOf(options, processContext).folder;
  const outbound = openOutbound(options, processContext);
  // An agent without sign-in stores nothing of its callers.
  const place = authenticator && lasting ? lasting : 'memory';
  const database = await openAgentDatabase({ place, logger });
  const stores = createSqlStores(database);
  /** Resources closed with the agent, latest first. */
  const parts: { close(): unknown }[] = [stores];
  const tracing = await openTracing({ agentName: options.name, environment, logger });
  if (tracing) parts.unshift(tracing);
  const close = async () => {
    for (const part of parts.toReversed()) await part.close();
  };
  try {
    const storage = authenticator && (await createWorkspaceStorage({ dataFolder, stores, clock, ids, logger }));
    const { workspaces: policy, connectors: declared = [], secretKeys } = options;
    const workspaces = policy && storage && openWorkspaces(policy, stores, storage, processContext);
    const registry = workspaces?.registry;
    const watch = registry && createMembershipWatch({ registry, clock, logger });
    if (workspaces && watch) parts.push(workspaces, watch);
    const taskDatabase = lasting && !authenticator ? await openAgentDatabase({ place: lasting, logger }) : database;
    const taskStores = taskDatabase === database ? stores : createSqlStores(taskDatabase);
    if (taskStores !== stores) parts.push(taskStores);
    const taskStore = taskStores.tasks;
    const instance = ids.next('instance');
    const { heartbeatPlace } = taskDatabase;
    const heartbeats =
      heartbeatPlace &&
      createHeartbeatThread({
        place: heartbeatPlace,
        program: new URL(import.meta.resolve('@berth/agent/heartbeat-thread')),
        instance,
        intervalMs: AGENT_LIMITS.heartbeatMs,
        keepMs: AGENT_LIMITS.budgetMs + SETTLE_MS,
        leaseMs: TASK_LEASE_MS,
        clock,
        logger,
      });
    if (heartbeats) parts.push(heartbeats);
    let connectors: OpenConnectors | undefined;
    if (declared.length > 0) {
      const places = { environment, dataFolder, isProduction, stores, outbound };
      if (authenticator) connectors = await openConnectors({ declared, secretKeys, ...places, clock, ids, logger });
      else logger.warn({}, 'connectors require auth');
    }
    if (connectors) parts.push(connectors);
    const lazySecrets = lazySecretRing({ secretKeys, environment, dataFolder, isProduction, logger });
    const openSecrets = async () => connectors?.secrets ?? (await lazySecrets());
    parts.push(outbound);
    const slidesProgram = fileURLToPath(import.meta.resolve('@berth/agent/draw-slides'));
    const open = () => openRenderer(options.render, environment);
    const office = authenticator && createOfficeFiles({ dataFolder, open, slidesProgram, clock, logger });
    if (office) parts.push(office);
    const app = createApp({ logger, clock, ids });
    app.use('*', crossOrigin({ options: options.cors, hasAuth: hasSecretTokens(authenticator), isProduction }));
    if (tracing) app.use('*', continueTrace());
    const guard = { authenticator, registry, watch };
    const config = agentConfig(options, authenticator, isProduction);
    const { name, title = name, page, publicFolder, speech, maxUploadMb } = options;
    const { handler: answer, prepared } = await createTurnHandler(options, { stores, storage, clock, connectors });
    const { description } = options;
    const handler = tracing ? traceTurns(answer, { agentName: name, description, ...tracing }) : answer;
    const budgets = options.budget && createBudgets(options.budget, { store: stores.usage, clock });
    const isResumable = options.resume ?? options.handler === undefined;
    const runs: RunEngine = createRunEngine({
      store: stores.runs,
      clock,
      ids,
      logger,
      instance,
      finish: turnMessages,
      // Turns of an agent without sign-in are in memory, where no other instance looks for them.
      ...(heartbeats && authenticator && { startHeartbeats: heartbeats.forRuns }),
      ...(isResumable && { resume: (run) => resumeTurn(turns, run) }),
    });
    work.addSource(() => runs.hasLiveRuns);
    const titles =
      prepared && hasTitles(options) && createTitles(prepared, { chats: stores.chats, budgets, clock, logger });
    if (titles) work.addSource(() => titles.isBusy);
    const onAnswered = titles ? titles.start : undefined;
    const turns = { ...processContext, ...guard, handler, budgets, stores, runs, dataFolder, isResumable, onAnswered };
    const goOn: RouteDeps['continueAnswer'] = (place) => continueAnswer(turns, place);
    registerRoutes(app, {
      ...turns,
      approvers: options.approvals?.approvers,
      continueAnswer: goOn,
      config,
      site: options,
      agentName: name,
      agentTitle: title,
      // The tools of a handler of the owner's own are not known here.
      ownTools: prepared ?? {},
      skills: prepared?.skills,
      speech,
      maxUploadMb,
      storage,
      office,
      outbound,
      openSecrets,
      connectors,
      work,
    });
    const run: Agent['run'] = (options) => startAgentRun(turns, options);
    const runOnce: TasksOptions['runOnce'] = (options) => runOnceIn(turns, options);
    const { protocols: wanted = {} } = options;
    const named = { agentName: name, agentTitle: title, agentDescription: description };
    const protocols = await openProtocols(wanted, { ...turns, ...named, continueAnswer: goOn, outbound, work });
    parts.push(protocols);
    protocols.registerRoutes(app);
    const { tasks: settings } = options;
    const background = openTasks({
      ...processContext,
      definitions,
      settings,
      guard,
      run,
      runOnce,
      store: taskStore,
      leases: heartbeats?.tasks,
      replaced: work.replaced,
      instance,
    });
    work.addSource(() => background.isBusy);
    const cronToken = environment['CRON_TOKEN'];
    const { tasks, closing } = background;
    registerTaskRoutes(app, { ...guard, definitions, tasks, taskStore, clock, closing, cronToken, isProduction });
    app.route('/', routes);
    if (hasTasks && !definitions.find(CRON)) registerWakeUp(app, { ...guard, cronToken, isProduction });
    const artifactNetwork = options.artifacts?.network ?? [];
    registerSiteRoutes(app, { ...guard, page, artifactNetwork, config, publicFolder, workingFolder });
    const drain = async (drainMs: number) => {
      // Tasks first, so that a task whose turn is interrupted knows why.
      await Promise.all([background.close(drainMs), runs.close({ drainMs })]);
      if (titles) await titles.close();
    };
    return { app, guard, run, tasks, drain, close };
  } catch (error) {
    // The next request tries again, with a new database connection.
    await close();
    throw error;
  }
}

/** True for an agent whose callers need a token that others don't know; false for one without `auth`, and with `dev()`. */
function hasSecretTokens(authenticator: Authenticator | undefined): boolean {
  return authenticator !== undefined && !(authenticator.signIn && 'token' in authenticator.signIn);
}

const VARIABLE = 'BERTH_AGENT_ALLOWED_NETWORKS';

/**
 * Creates the agent's outbound client, with the networks of its options, else of its environment.
 * @throws `invalid` naming a network that can't be parsed.
 */
export function openOutbound(
  { outbound }: Pick<AgentOptions, 'outbound'>,
  { environment, clock, resolveHost }: Pick<ProcessContext, 'environment' | 'clock' | 'resolveHost'>,
): Outbound {
  const named = (environment[VARIABLE] ?? '').split(',').map((network) => network.trim());
  const allowedNetworks = outbound?.allowedNetworks ?? named.filter((network) => network !== '');
  try {
    // The trace goes to the owner's own systems only. Source: docs/decisions/0047-traces-stay-with-the-owner.md.
    return createOutbound(
      { allowedNetworks },
      { clock, ...(resolveHost && { resolveHost }), ownerHeaders: traceHeaders },
    );
  } catch (error) {
    const where = outbound?.allowedNetworks ? 'outbound.allowedNetworks' : VARIABLE;
    throw createError('invalid', `${where}: ${(error as Error).message}`, { cause: error });
  }
}

/** Opens the workspaces of an agent that has teams, and resumes deleting the data of removed ones. */
function openWorkspaces(
  policy: 'member' | 'admin',
  { workspaces: store }: AgentStores,
  storage: WorkspaceStorage,
  { clock, ids, logger }: ProcessContext,
) {
  const purge = createWorkspacePurge({ store, removeFiles: storage.remove, clock, logger });
  const people = createPeopleRecorder({ store, clock, logger });
  const registry = createWorkspaceRegistry({ store, people, policy, clock, ids, logger, onRemoved: purge.start });
  purge.start();
  return { registry, close: purge.close };
}
