import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { CommandSandbox, FolderArtifact } from '@berth/runtime';
import { findBuiltSite } from '../detect/detect-static.ts';
import { findLateApplication } from '../detect/python/late-application.ts';
import type { ArtifactPlace } from '../files/artifact-places.ts';
import { type Command, findShellLine } from '../plan/command.ts';
import type { Plan, StaticSite } from '../plan/plan.ts';
import { createFolderFiles } from '../plan/project-files.ts';
import { installStaticServer } from '../site/install-static-server.ts';
import { findOwnProgram, resolveCommand } from './resolve-command.ts';

/** Options of {@link finishArtifact}. */
export interface FinishArtifactOptions {
  readonly plan: Plan;
  /** The place of the build; its project is already sealed. */
  readonly place: ArtifactPlace;
  readonly sandbox: CommandSandbox;
}

/**
 * Creates the artifact of a built and sealed project.
 * @throws BerthError `build_failed` if the build made no site, or the program that starts the service is missing.
 */
export async function finishArtifact(options: FinishArtifactOptions): Promise<FolderArtifact> {
  const { plan, place, sandbox } = options;
  const { owner, path, project } = place;
  const release = plan.release && {
    title: plan.release.title,
    command: await findCommand('The release command', plan.release, options),
  };
  const lateApplication = findLateApplication(plan);
  const base = {
    kind: 'folder' as const,
    path,
    env: plan.env,
    ...(release && { release }),
    ...(lateApplication && { lateApplication }),
  };
  if (plan.start === null) {
    const site = await findSite(plan.site, plan.build, project);
    const { command, folder } = await installStaticServer(project, site);
    await sandbox.seal(folder, owner);
    const shared = site.folder === '.' ? await visibleFolders(project) : [site.folder];
    return { ...base, command, sharedFolders: await findRealFolders(project, [...plan.sharedFolders, ...shared]) };
  }
  const command = await findCommand('The service', plan.start, options);
  return { ...base, command, sharedFolders: await findRealFolders(project, plan.sharedFolders) };
}

async function findSite(site: StaticSite | null, build: readonly Command[], project: string) {
  const files = createFolderFiles(project);
  const folder = site?.folder ?? (await findBuiltSite(files));
  if (folder === undefined) {
    const made = build.map(({ title }) => title).join(' and ') || 'The project';
    throw createError(
      'build_failed',
      `${made} created no index.html in dist, build, out, .output/public, _site or public, and package.json has no "start" script. Add a "start" script, or set the folder in berth.json: {"static": "folder"}`,
    );
  }
  if ((await files.kindOf(folder)) !== 'folder') {
    throw createError(
      'build_failed',
      `The folder ${JSON.stringify(folder)} set as "static" in berth.json does not exist`,
    );
  }
  return { folder, isSinglePage: site?.isSinglePage ?? false };
}

/** Returns a command with its program resolved. @throws BerthError `build_failed` if the program is missing. */
async function findCommand(what: string, wanted: Command, { plan, place, sandbox }: FinishArtifactOptions) {
  const { project } = place;
  const command = await resolveCommand(wanted, project, plan);
  if (findShellLine(wanted) !== undefined) return command;
  const program = await findOwnProgram(wanted, project, [...plan.toolFolders, ...plan.binFolders]);
  // A program named by a variable is known only when the service starts.
  if (program.includes('$') || program.startsWith('/')) return command;
  const isThere = program.includes('/')
    ? (await lstat(join(project, program)).catch(() => undefined)) !== undefined
    : (await sandbox.findProgram(program)) !== undefined;
  if (isThere) return command;
  throw createError(
    'build_failed',
    `${what} is started by "${wanted.title}", but there is no ${JSON.stringify(program)}, neither in the project nor on this server`,
  );
}

async function visibleFolders(project: string): Promise<string[]> {
  const names = await createFolderFiles(project).list('.');
  return names.filter((name) => name.endsWith('/') && !name.startsWith('.')).map((name) => name.slice(0, -1));
}

/**
 * Returns those of `folders` that are real folders, not reached through links. The server mounts shared folders into
 * the service and copies cached ones, and a tenant's link could lead anywhere.
 */
export async function findRealFolders(project: string, folders: readonly string[]): Promise<string[]> {
  const root = await realpath(project);
  const found: string[] = [];
  for (const folder of new Set(folders)) {
    const path = join(root, folder);
    const isItself = (await realpath(path).catch(() => undefined)) === path;
    if (isItself && (await lstat(path)).isDirectory()) found.push(folder);
  }
  return found;
}
