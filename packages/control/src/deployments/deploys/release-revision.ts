import type { RevisionTarget } from '@berth/gateway';
import { runInBackground } from '@berth/kit';
import type { DeployEventWriter } from './events/deploy-event-writer.ts';
import { limitOutput } from './events/limit-output.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

export interface ReleaseRun {
  readonly signal: AbortSignal;
  readonly events: DeployEventWriter;
}

/**
 * Runs the release command of a revision that is about to serve, and records its success: after a restart of the
 * platform it isn't run again, unless it was interrupted. A rollback runs none: how an older program handles data that a newer one
 * migrated is unknown.
 * @throws BerthError as `GatewayControl.release`; LeaseLostError.
 */
export async function releaseRevision(
  context: DeployContext,
  deploy: DeployRecord,
  target: RevisionTarget,
  { signal, events }: ReleaseRun,
): Promise<void> {
  if (target.artifact.release === undefined || deploy.kind === 'rollback' || deploy.isReleased) return;
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
