import {
  type BerthJsonFile,
  type FileSettings,
  isCpuRaised,
  readBerthJson,
  type Schedule,
  settingsOfDeployment,
  settingsOfFile,
} from '@berth/contract';
import { createError } from '@berth/contract/errors';
import type { ToolContext } from '../tool/tool.ts';
import { followDeploy } from './follow-deploy.ts';

/** A deploy of an archive. */
export interface ArchiveDeploy {
  readonly name: string;
  readonly archive: Blob;
  /** The text of the project's `berth.json`. */
  readonly berthJson: string | undefined;
  /** Settings that the call names. */
  readonly given: FileSettings | undefined;
  readonly waitSeconds: number;
}

/** Deploys an archive. As with `berth deploy`, a setting that is named nowhere stays as it is. */
export async function deployArchive(
  { name, archive, berthJson, given = {}, waitSeconds }: ArchiveDeploy,
  context: ToolContext,
) {
  const { client, signal } = context;
  const named = { ...settingsOfFile(readProject(berthJson)), ...withoutUndefined(given) };
  const deployed = await client.findDeployment(name, { signal });
  const kept = deployed ? settingsOfDeployment(deployed) : {};
  const fields = {
    ...kept,
    // The platform may have raised the CPU to fit the memory: other memory needs it chosen again.
    ...(deployed && isCpuRaised(deployed) && named.memory !== undefined ? { cpu: undefined } : {}),
    ...named,
  };
  const { schedule, volumes = {}, ...others } = fields;
  return followDeploy(
    (deploying) =>
      client.deploy(
        { fields: { function_name: name, ...others, volumes, schedule: toSchedule(schedule) }, archive },
        { signal: deploying },
      ),
    { waitSeconds, context },
  );
}

function toSchedule(schedule: FileSettings['schedule']): Schedule | string | undefined {
  if (schedule === null || schedule === undefined || typeof schedule === 'string') return schedule ?? undefined;
  return { cron: schedule.cron, timezone: schedule.timezone ?? 'UTC' };
}

function readProject(text: string | undefined): BerthJsonFile {
  if (text === undefined) return {};
  const read = readBerthJson(text);
  if ('problem' in read) throw createError('invalid', read.problem);
  return read.file;
}

function withoutUndefined(settings: FileSettings): FileSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
