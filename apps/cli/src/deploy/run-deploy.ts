import path from 'node:path';
import type { Client, DeployFields, UploadProgress } from '@berth/client';
import { openArchive } from '@berth/client/node';
import { type DeployEvent, settingsOfFile } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { Context } from '../command/context.ts';
import { UsageError } from '../errors/usage-error.ts';
import { formatBytes } from '../output/format-bytes.ts';
import { type PackedFolder, packFolder } from '../pack/pack-folder.ts';
import type { DeployOptions } from './deploy-options.ts';
import { detachDeploy } from './detach-deploy.ts';
import { deriveName, findSource } from './find-source.ts';
import { confirmDetach } from './merge-volumes.ts';
import { readProjectFile } from './read-project-file.ts';
import { readDeployForm } from './read-settings.ts';
import { findSettingsChanges } from './settings-changes.ts';
import { showEvents } from './show-events.ts';
import { createUploadView } from './show-upload.ts';
import { createSpinner } from './spinner.ts';

/** Runs `berth deploy`: validates locally, packs, uploads and shows the events. @returns the exit code */
export async function runDeploy(word: string | undefined, options: DeployOptions, context: Context): Promise<number> {
  const { output } = context;
  if (options.wait && options.detach) throw new UsageError('Give --wait or --detach, not both.');
  const source = await findSource(word, options, context.workingFolder);
  const project = source.kind === 'folder' ? await readProjectFile(source.folder) : {};
  const name = options.name ?? project.name ?? (await deriveName(source));
  const others = { source_object: options.sourceObject, ...trafficFields(options) };
  const sources = { options, file: settingsOfFile(project), others };
  // A wrong flag or file is reported before the server is asked.
  readDeployForm(name, { ...sources, deployed: undefined });
  const client = await context.connect();
  output.say(`Deploying ${output.progressStyle.bold(name)} to ${client.baseUrl}`);
  await checkName(client, name);
  await checkEnvironment(client, name, project.required_env ?? []);
  const deployed = await client.findDeployment(name);
  const form = readDeployForm(name, { ...sources, deployed });
  if (deployed) {
    const { changed, kept } = findSettingsChanges(deployed, form.settings, form.kept);
    if (changed.length > 0) output.say(`  Changes: ${changed.join(', ')}`);
    for (const setting of kept) output.say(`  Keeping ${setting}`);
    if (!(await confirmDetach(deployed.volumes, form.fields.volumes, options, context))) return 1;
  }

  await using packed = source.kind === 'folder' ? await pack(source.folder, context) : undefined;
  if (packed && source.kind === 'folder') reportPacked(packed, name, source.folder, context);
  const file = packed?.file ?? (source.kind === 'archive' ? source.file : undefined);
  const events = uploadAndFollow(client, form.fields, file, context);
  // Awaited here, because the archive must exist until the upload has ended.
  return await (options.detach ? detachDeploy(events, context) : showEvents(events, context, { name }));
}

/** Returns the fields of the form that say which traffic the new revision gets. @throws UsageError for a duration that can't be read */
function trafficFields({ tag, traffic, canary, canaryFor }: DeployOptions): Partial<DeployFields> {
  const [, amount, unit = 's'] = /^(\d{1,6})(s|m|h)?$/.exec(canaryFor ?? '') ?? [];
  if (canaryFor !== undefined && amount === undefined) {
    throw new UsageError(`--canary-for ${canaryFor}: give a number of seconds, minutes or hours, e.g. 90s, 10m or 2h.`);
  }
  return {
    ...(tag === undefined ? {} : { tag }),
    ...(traffic === false ? { no_traffic: true } : {}),
    ...(canary === undefined ? {} : { canary: canary.replace(/%$/, '') }),
    ...(amount === undefined
      ? {}
      : { canary_for: Number(amount) * { s: 1, m: 60, h: 3_600 }[unit as 's' | 'm' | 'h'] }),
  };
}

async function checkName(client: Client, name: string): Promise<void> {
  const { available, reason } = await client.get('/v1/deployment/check-name', { params: { query: { name } } });
  if (available) return;
  throw createError(
    'forbidden',
    `The name ${name} can't be used: ${reason ?? 'it is taken.'} Choose another with --name.`,
  );
}

/** Checks `required_env`. @throws BerthError `conflict` naming the variables that aren't set */
async function checkEnvironment(client: Client, name: string, required: readonly string[]): Promise<void> {
  if (required.length === 0) return;
  const variables = await client.get('/v1/env/list', { params: { query: { name } } }).catch((error: unknown) => {
    if (BerthError.is(error, 'not_found')) return [];
    throw error;
  });
  const set = new Set(variables.map(({ key }) => key));
  const missing = required.filter((key) => !set.has(key));
  if (missing.length === 0) return;
  throw createError(
    'conflict',
    `berth.json requires ${missing.join(', ')}, which ${missing.length === 1 ? 'is' : 'are'} not set. Run: berth env set ${name} ${missing.join(' ')}`,
  );
}

function pack(folder: string, { output, clock, signal, machine }: Context): Promise<PackedFolder> {
  const spinner = createSpinner(output, clock);
  spinner.start('Packing');
  const options = { folder, temporaryFolder: machine.temporaryFolder, signal, onWarning: output.warn };
  return packFolder(options).finally(spinner.stop);
}

function reportPacked(packed: PackedFolder, name: string, folder: string, { output, workingFolder }: Context): void {
  const { green, signs } = output.progressStyle;
  const files = packed.files === 1 ? '1 file' : `${packed.files} files`;
  output.say(`${green(signs.done)} Packed ${files}, ${formatBytes(packed.sizeBytes)}`);
  for (const file of packed.secretFiles) {
    output.warn(
      `${file} is in the archive. Keep secrets out of the source: add the file to .berthignore, and run ` +
        `\`berth env set ${name} --from-file ${path.relative(workingFolder, path.join(folder, file))}\``,
    );
  }
}

async function* uploadAndFollow(
  client: Client,
  fields: DeployFields,
  file: string | undefined,
  { output, clock, signal }: Context,
): AsyncGenerator<DeployEvent> {
  const view = createUploadView(output, clock);
  let deployId: string | undefined;
  let isSent = false;
  try {
    const onProgress = (progress: UploadProgress) => {
      isSent = progress.sentBytes === progress.totalBytes;
      view.update(progress);
    };
    const archive = file === undefined ? {} : { archive: await openArchive(file) };
    const events = client.deploy(
      { fields, ...archive },
      { onProgress, onReconnect: () => output.showStatus('Reconnecting…') },
    );
    for await (const event of events) {
      view.end();
      deployId = event.deploy_id;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) {
      output.clearStatus();
      output.say(describeDetached(deployId, isSent));
    }
    throw error;
  }
}

/** Returns what happens to a deploy that is no longer followed. */
function describeDetached(deployId: string | undefined, isSent: boolean): string {
  if (deployId !== undefined) {
    return `The deploy continues on the server. \`berth follow ${deployId}\` follows it, \`berth cancel ${deployId}\` ends it.`;
  }
  return isSent
    ? 'The upload had just finished, so the deploy may have started. `berth ls` tells.'
    : 'Canceled. The upload was not finished, so nothing was deployed.';
}
