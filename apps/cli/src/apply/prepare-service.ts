import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DeployFields, toFormFields } from '@berth/client';
import {
  type DeploySettings,
  type FileSettings,
  type PlatformService,
  parseDeployForm,
  type Schedule,
  settingsOfFile,
  settingsOfService,
} from '@berth/contract';
import type { Context } from '../command/context.ts';
import { findSource } from '../deploy/find-source.ts';
import { readProjectFile } from '../deploy/read-project-file.ts';
import { UsageError } from '../errors/usage-error.ts';
import { packFolder } from '../pack/pack-folder.ts';
import type { Platform } from './read-platform.ts';

/** A service of the file, ready to be compared and deployed. Its archive is deleted when it is disposed. */
export interface PreparedService extends AsyncDisposable {
  readonly name: string;
  readonly fields: DeployFields;
  readonly settings: DeploySettings;
  /** The archive, and its SHA-256. */
  readonly archive: string;
  readonly sha256: string;
  /** Names of the variables, those that `berth.json` requires included. */
  readonly env: readonly string[];
  readonly domains: readonly string[];
}

/** Packs a service and validates its settings. @throws UsageError naming every wrong setting */
export async function prepareService(
  name: string,
  service: PlatformService,
  { folder }: Pick<Platform, 'folder'>,
  { machine, signal, output }: Pick<Context, 'machine' | 'signal' | 'output'>,
): Promise<PreparedService> {
  const isArchive = /\.(tar\.gz|tgz)$/.test(service.source);
  const source = await findSource(
    isArchive ? undefined : service.source,
    isArchive ? { archive: service.source } : {},
    folder,
  );
  const project = source.kind === 'folder' ? await readProjectFile(source.folder) : {};
  const { fields, settings } = readForm(name, { ...settingsOfFile(project), ...settingsOfService(service) });
  const packed =
    source.kind === 'folder'
      ? await packFolder({
          folder: source.folder,
          temporaryFolder: machine.temporaryFolder,
          signal,
          onWarning: output.warn,
        })
      : undefined;
  const archive = packed?.file ?? path.resolve(folder, service.source);
  for (const file of packed?.secretFiles ?? []) {
    output.warn(`${file} is in the archive of ${name}. Keep secrets out of the source: add the file to .berthignore.`);
  }
  return {
    name,
    fields,
    settings,
    archive,
    sha256: await hashFile(archive),
    env: [...new Set([...service.env, ...(project.required_env ?? [])])],
    domains: service.domains.map((domain) => domain.toLowerCase()),
    [Symbol.asyncDispose]: async () => packed?.[Symbol.asyncDispose](),
  };
}

function readForm(name: string, { schedule, volumes = {}, ...others }: FileSettings) {
  const fields: DeployFields = { function_name: name, ...others, volumes, schedule: toSchedule(schedule) };
  const form = parseDeployForm({ fields: toFormFields(fields), hasArchive: true });
  if ('settings' in form) return { fields, settings: form.settings };
  const faults = form.issues.map(({ loc, msg }) => `services.${name}.${loc.slice(1).join('.')}: ${msg}`);
  throw new UsageError(faults.join('\n'));
}

function toSchedule(schedule: FileSettings['schedule']): Schedule | string | undefined {
  if (schedule === null || schedule === undefined || typeof schedule === 'string') return schedule ?? undefined;
  return { cron: schedule.cron, timezone: schedule.timezone ?? 'UTC' };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
