import { createError } from '@berth/contract';
import type { Limiter } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { beginActivation } from './begin-activation.ts';
import { beginBuild } from './begin-build.ts';
import { buildRevision } from './build-revision.ts';
import { completeDeploy } from './complete-deploy.ts';
import type { DeployEventWriter } from './events/deploy-event-writer.ts';
import { readInstanceOutput } from './events/instance-output.ts';
import type { OutputTail } from './events/output-tail.ts';
import { preparedBuild, preparedEnvironment, preparedRedeploy, preparedRollback } from './prepare-revision.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { releaseRevision } from './release-revision.ts';

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
  run.signal.throwIfAborted();
  if (deploy.step === 'deploying') {
    await run.events.write('deploying', { message: 'Going on after an interruption of the platform' });
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
      return { deploy, revision: preparedEnvironment(deploy, context.clock.nowMs()) };
    case 'redeploy':
      return { deploy, revision: preparedRedeploy(deploy, context.clock.nowMs()) };
    case 'deploy': {
      const { signal, events, tail, built, builds } = run;
      using _slot = await builds.acquire({
        signal,
        onAhead: (ahead) =>
          void events.write(deploy.step, { message: `Waiting for a free place to build: ${ahead} ahead.` }),
      });
      await events.flush();
      const isResumed = deploy.step === 'building';
      const building = isResumed ? deploy : await beginBuild(context, deploy);
      if (isResumed)
        await events.write('building', { message: 'Building again after an interruption of the platform' });
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
  const { currentRevision } = await createDeploymentStore(context.db).get(accountId, deployment);
  if (currentRevision !== revision.revision) {
    const target = await context.targets.create(revision);
    // A millisecond early, because the log store reads entries after an instant.
    const sinceMs = context.clock.nowMs() - 1;
    try {
      await releaseRevision(context, deploy, target, { signal, events });
      await context.gateway.activate(target, {
        signal,
        onProgress: (message) => void events.write('deploying', { message }),
      });
    } catch (error) {
      tail.clear();
      const output = { account: accountId, deployment, revision: revision.revision, sinceMs };
      for (const line of await readInstanceOutput(context.logs, output)) tail.add(line);
      throw error;
    }
  }
  await events.flush();
  await completeDeploy(context, deploy, revision);
}

async function revisionOf(context: DeployContext, deploy: DeployRecord): Promise<RevisionRecord> {
  const revision =
    deploy.revision === null
      ? undefined
      : await createRevisionStore(context.db).find(deploy.accountId, deploy.deployment, deploy.revision);
  if (revision?.artifact) return revision;
  throw createError('internal', 'What this deploy built was lost when the platform restarted. Deploy again.');
}
