import type { BuildResult } from '@berth/builder';
import { createError } from '@berth/contract';
import { meterWork } from '../../metering/meter-work.ts';
import { type DeployEventWriter, limitOutput } from './events/deploy-event-writer.ts';
import type { OutputTail } from './events/output-tail.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';

/**
 * Builds the archive of a deploy in its `building` step. The build's output goes to the deploy's events and
 * to the log store.
 * @param tail gets the lines that the build's commands print.
 * @throws BerthError as {@link Builder.build}, or `internal` when the archive is missing.
 */
export async function buildRevision(
  context: DeployContext,
  deploy: DeployRecord,
  events: DeployEventWriter,
  tail: OutputTail,
  signal: AbortSignal,
): Promise<BuildResult> {
  const { accountId, deployment, archive, revision, settings } = deploy;
  if (revision === null) throw new Error(`${deploy.id} builds without a revision`);
  if (!archive || !(await context.builder.hasArchive(archive))) {
    throw createError('internal', 'The archive was lost when the platform restarted. Deploy again.');
  }
  const scope = { account: accountId, deployment };
  const labels = { deploy_id: deploy.id };
  const say = limitOutput(events, 'building', 'The build');
  const build = () =>
    context.builder.build(
      {
        owner: scope,
        archive,
        revision,
        ...(settings ? { port: settings.port } : {}),
        async onLine(line, isOutput) {
          if (isOutput) tail.add(line);
          await context.logs.append(scope, [{ logName: 'build', severity: 'INFO', message: line, revision, labels }]);
          await say(line, isOutput);
        },
      },
      { signal },
    );
  return meterWork(context.clock, (seconds) => context.onBuildSeconds(accountId, deployment, seconds), build);
}
