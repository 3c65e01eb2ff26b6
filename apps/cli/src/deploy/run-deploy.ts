import path from 'node:path';
import type { Client, DeployFields, UploadProgress } from '@berth/client';
import { openArchive } from '@berth/client/node';
import type { DeployEvent, DeploySettings } from '@berth/contract';
import { BerthError } from '@berth/kit';
import type { Context } from '../context.ts';
import { formatBytes } from '../output/format-bytes.ts';
import { type PackedFolder, packFolder } from '../pack/pack-folder.ts';
import type { DeployOptions } from './deploy-options.ts';
import { deriveName } from './derive-name.ts';
import { detachDeploy } from './detach-deploy.ts';
import { findSource, type Source } from './find-source.ts';
import { readDeployFields } from './read-deploy-fields.ts';
import { findSettingsChanges } from './settings-changes.ts';
import { showEvents } from './show-events.ts';
import { createUploadView } from './show-upload.ts';
import { createSpinner } from './spinner.ts';

/** `berth deploy`: checks all that can be checked here, packs, uploads, and shows what happens. Answers the exit code. */
export async function runDeploy(word: string | undefined, options: DeployOptions, context: Context): Promise<number> {
  const { output } = context;
  const source = await findSource(word, options, context.workingFolder);
  const name = options.name ?? (await nameOf(source));
  const { fields, settings } = readDeployFields(name, options);
  const client = await context.connect();
  output.say(`Deploying ${output.progressStyle.bold(name)} to ${client.baseUrl}`);
  await checkName(client, name);
  if (!(await confirmChanges(client, settings, options, context))) {
    output.warn('Nothing was deployed.');
    return 1;
  }

  await using packed = source.kind === 'folder' ? await pack(source.folder, context) : undefined;
  if (packed && source.kind === 'folder') reportPacked(packed, name, source.folder, context);
  const file = packed?.file ?? (source.kind === 'archive' ? source.file : undefined);
  const events = uploadAndFollow(client, fields, file, context);
  // Awaited here: the archive must be there until the upload has ended.
  return await (options.detach ? detachDeploy(events, context) : showEvents(events, context, { name }));
}

function nameOf(source: Source): Promise<string> {
  return deriveName(
    source.kind === 'folder' ? source : { kind: 'file', file: source.kind === 'archive' ? source.file : source.object },
  );
}

async function checkName(client: Client, name: string): Promise<void> {
  const { available, reason } = await client.checkName(name);
  if (available) return;
  throw new BerthError({
    code: 'forbidden',
    status: 403,
    message: `The name ${name} can't be used: ${reason ?? 'it is taken.'} Choose another with --name.`,
  });
}

/** Says what a redeploy changes, and asks when it takes something away. False when the person says no. */
async function confirmChanges(
  client: Client,
  settings: DeploySettings,
  { yes }: DeployOptions,
  { output, prompts }: Context,
): Promise<boolean> {
  const before = await client.findDeployment(settings.name);
  // A name that was only reserved, by setting its environment, has nothing to lose yet.
  if (!before || before.revision === null) return true;
  const { dropped, changed } = findSettingsChanges(before, settings);
  if (changed.length > 0) output.say(`  Changes: ${changed.join(', ')}`);
  for (const line of dropped) output.warn(line);
  if (dropped.length === 0 || yes || !prompts.isInteractive) return true;
  return prompts.confirm('A deploy declares volumes and schedule as a whole. Go on without these?');
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
      `${file} is in the archive. Keep secrets out of it: name it in .berthignore, and run ` +
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
      output.say(whatGoesOn(deployId, isSent));
    }
    throw error;
  }
}

/** What becomes of a deploy that is no longer followed. */
function whatGoesOn(deployId: string | undefined, isSent: boolean): string {
  if (deployId !== undefined) {
    return `The deploy goes on. \`berth follow ${deployId}\` follows it, \`berth cancel ${deployId}\` ends it.`;
  }
  return isSent
    ? 'The upload had just ended: the deploy may have begun. `berth ls` tells.'
    : 'Stopped. The upload was not finished, so nothing was deployed.';
}
