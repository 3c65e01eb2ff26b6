import { createError, type DeployKind, isStateChange } from '@berth/contract';
import type { RevisionTarget } from '@berth/gateway';
import { type Limiter, runInBackground } from '@berth/kit';
import type { LogStore, StoredEntry } from '@berth/logstore';
import type { Artifact } from '@berth/runtime';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore, type RouteState } from '../store/deployment-store.ts';
import { buildRevision } from './build-revision.ts';
import { beginActivation, beginBuild, completeDeploy } from './deploy-steps.ts';
import { type DeployEventWriter, limitOutput } from './events/deploy-event-writer.ts';
import type { OutputTail } from './events/output-tail.ts';
import {
  preparedBuild,
  preparedChange,
  preparedEnvironment,
  preparedRedeploy,
  preparedResume,
  preparedRollback,
} from './prepare-revision.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { FAILURE_LOG_LINES } from './records/deploy-failure.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';
import { serveBeside, trafficAfter } from './serve-beside.ts';

/** The state of one run of a deploy. */
export interface DeployRun {
  readonly signal: AbortSignal;
  readonly events: DeployEventWriter;
  /** Collects the output that is shown when the deploy fails. */
  readonly tail: OutputTail;
  /** Collects the build's artifacts. */
  readonly built: Artifact[];
  /** Bounds the builds of all deploys. */
  readonly builds: Limiter;
}

/**
 * Drives a deploy from its current step to DONE. After a restart of the platform that may be any step: a build starts
 * again, and a revision that was being started is started again, without another build.
 * @throws what ended it, which the caller records.
 */
export async function runDeploy(context: DeployContext, deploy: DeployRecord, run: DeployRun): Promise<void> {
  if (deploy.step === 'deploying') {
    await run.events.write('deploying', { message: 'Resuming after a platform restart' });
    await activate(context, deploy, await revisionOf(context, deploy), run);
    return;
  }
  const prepare = await preparation(context, deploy, run);
  run.signal.throwIfAborted();
  await run.events.flush();
  const { deploy: moved, revision } = await beginActivation(context, prepare.deploy, prepare.revision);
  await activate(context, moved, revision, run);
}

async function preparation(context: DeployContext, deploy: DeployRecord, run: DeployRun) {
  switch (deploy.kind) {
    case 'rollback':
      return { deploy, revision: preparedRollback(deploy) };
    case 'environment':
      return { deploy, revision: preparedEnvironment(deploy) };
    case 'redeploy':
      return { deploy, revision: preparedRedeploy(deploy) };
    case 'restart':
    case 'stop':
      return { deploy, revision: preparedChange(deploy) };
    case 'resume':
      return { deploy, revision: preparedResume(deploy) };
    case 'deploy': {
      const { signal, events, tail, built, builds } = run;
      using _slot = await builds.acquire({
        signal,
        onAhead: (ahead) => void events.write(deploy.step, { message: `Waiting for a build slot: ${ahead} ahead.` }),
      });
      await events.flush();
      const isResumed = deploy.step === 'building';
      const building = isResumed ? deploy : await beginBuild(context, deploy);
      if (isResumed) await events.write('building', { message: 'Rebuilding after a platform restart' });
      const result = await buildRevision(context, building, events, tail, signal);
      built.push(result.artifact);
      return { deploy: building, revision: preparedBuild(building, result) };
    }
  }
}

async function activate(
  context: DeployContext,
  deploy: DeployRecord,
  revision: RevisionRecord,
  { signal, events, tail }: DeployRun,
): Promise<void> {
  const { accountId, deployment } = deploy;
  const record = await createDeploymentStore(context.db).get(accountId, deployment);
  const isUnchanged = record.currentRevision === revision.revision && !isStateChange(deploy.kind);
  const route = isUnchanged ? record : nextRoute(deploy.kind, record, context.clock.nowMs());
  const finish = async () => {
    await events.flush();
    await context.traffic.applyAhead(await trafficAfter(context, deploy, revision.revision, route));
    await completeDeploy(context, deploy, revision, route);
  };
  if (isUnchanged) return context.routes.run(deployment, finish);
  const { percent = 100 } = deploy.traffic ?? {};
  const isBeside = percent < 100 && record.currentRevision !== null;
  if (isBeside && record.stoppedAtMs !== null) {
    throw createError(
      'cancelled',
      `${deployment} was stopped meanwhile. Start it with \`berth resume ${deployment}\`.`,
    );
  }
  const target = isBeside
    ? await context.targets.createBeside(revision, route)
    : await context.targets.create(revision, route);
  // A millisecond early, because the log store reads entries after an instant.
  const sinceMs = context.clock.nowMs() - 1;
  const explain = async (error: unknown): Promise<never> => {
    tail.clear();
    const output = { account: accountId, deployment, revision: revision.revision, sinceMs };
    for (const line of await readInstanceOutput(context.logs, output)) tail.add(line);
    throw error;
  };
  await release(context, deploy, target, { signal, events }).catch(explain);
  const onProgress = (message: string) => void events.write('deploying', { message });
  const start = (one: RevisionTarget) => context.gateway.activate(one, { signal, onProgress }).catch(explain);
  const beside = { revision, target, current: record, signal, events, start };
  if (isBeside && !(await serveBeside(context, deploy, beside))) return;
  const main = isBeside ? await context.targets.create(revision, route) : target;
  // Until the end is recorded the route differs from the database's, which must not move it back.
  await context.routes.run(deployment, async () => {
    signal.throwIfAborted();
    await start(main);
    await finish();
  });
}

/**
 * Runs the release command of a revision that is about to serve, and records its success: after a restart of the
 * platform it isn't run again, unless it was interrupted. A rollback runs none: how an older program handles data that a newer one
 * migrated is unknown. Neither do a restart and a resumption: the program has run its command.
 */
async function release(
  context: DeployContext,
  deploy: DeployRecord,
  target: RevisionTarget,
  { signal, events }: Pick<DeployRun, 'signal' | 'events'>,
): Promise<void> {
  const runsNone = deploy.kind === 'rollback' || isStateChange(deploy.kind);
  if (target.artifact.release === undefined || runsNone || deploy.isReleased) return;
  const say = limitOutput(events, 'deploying', 'The release command');
  const sayInBackground = (line: string, isOutput: boolean) =>
    runInBackground('say a line of a release', say(line, isOutput), context.logger);
  await context.gateway.release(target, {
    signal,
    onProgress: (message) => sayInBackground(message, false),
    onOutput: (line) => sayInBackground(line, true),
  });
  await createDeployStore(context.db).noteRelease(deploy, context.leaseOwner, context.clock.nowMs());
}

/** Returns the route after a deploy. One that starts a revision of a stopped deployment resumes the deployment. */
function nextRoute(kind: DeployKind, { generation, stoppedAtMs }: RouteState, nowMs: number): RouteState {
  if (kind === 'stop') return { generation: generation + 1, stoppedAtMs: nowMs };
  const isNew = isStateChange(kind) || stoppedAtMs !== null;
  return { generation: isNew ? generation + 1 : generation, stoppedAtMs: null };
}

async function revisionOf(context: DeployContext, deploy: DeployRecord): Promise<RevisionRecord> {
  const { accountId, deployment, revision: name } = deploy;
  const revision = await createRevisionStore(context.db).find(accountId, deployment, name);
  if (revision?.artifact) return revision;
  throw createError('internal', 'The build result was lost when the platform restarted. Deploy again.');
}

/** Entries read at once. Source: the port's limit. */
const PAGE_ENTRIES = 1000;
/** Pages read at most, from the start of the deploy: 20,000 request entries meanwhile would hide the first lines. */
const MAX_PAGES = 20;

export interface InstanceOutputQuery {
  readonly account: string;
  readonly deployment: string;
  readonly revision: string;
  /** When the revision was started, wall time. */
  readonly sinceMs: number;
}

/**
 * Returns the last lines that the instances of a revision printed since it was started, oldest first; none when the log store
 * fails, since the failure that they explain must be reported anyway.
 */
export async function readInstanceOutput(logs: LogStore, query: InstanceOutputQuery): Promise<string[]> {
  const scope = { account: query.account, deployment: query.deployment };
  const isWanted = (entry: StoredEntry) =>
    entry.revision === query.revision && (entry.logName === 'stdout' || entry.logName === 'stderr');
  let lines: string[] = [];
  try {
    let since = new Date(query.sinceMs).toISOString();
    for (let page = 0; page < MAX_PAGES; page++) {
      const entries = await logs.read(scope, { since, limit: PAGE_ENTRIES });
      lines = [...lines, ...entries.filter(isWanted).map((entry) => entry.message)].slice(-FAILURE_LOG_LINES);
      const last = entries.at(-1);
      if (!last || entries.length < PAGE_ENTRIES) break;
      since = last.timestamp;
    }
  } catch {
    return lines;
  }
  return lines;
}
