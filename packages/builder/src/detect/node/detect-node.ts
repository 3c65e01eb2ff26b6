import { type Command, createCommand } from '../../plan/command.ts';
import { createDraft, type PlanDraft } from '../../plan/plan.ts';
import type { Programs } from '../../plan/programs.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { findFrameworkNeeds } from './framework-needs.ts';
import { directCommand, findNodeStart } from './node-start.ts';
import { chooseNode } from './node-version.ts';
import {
  dependencyNames,
  findLocalDependencies,
  hasInstallScripts,
  type PackageJson,
  parsePackageJson,
} from './package-json.ts';
import { choosePackageManager, type PackageManager } from './package-manager.ts';

/**
 * Detects a project with a package.json; returns undefined without one. If there is no start command, the build's
 * output is assumed to be a site, unless `hasOwnStart` (the project defines its own start command).
 * @throws BerthError `build_failed` if the package.json is invalid.
 */
export async function detectNode(
  files: ProjectFiles,
  programs: Programs,
  hasOwnStart: boolean,
): Promise<PlanDraft | undefined> {
  const source = await files.readText('package.json');
  if (source === undefined) return undefined;
  const manifest = parsePackageJson(source);
  const node = await chooseNode({ files, programs, manifest });
  const isNodeBrought = node.packages.length > 0;
  const manager = await choosePackageManager({ files, programs, manifest, isNodeBrought });
  const start = (await findNodeStart(files, manifest, manager)) ?? null;
  const isBuilt = manifest.scripts['build'] !== undefined;
  const names = dependencyNames(manifest);
  const needsInstall = names.size > 0 || manifest.workspaces !== undefined || hasInstallScripts(manifest);
  const title = manager.name === 'bun' ? 'Bun' : `Node.js (${manager.name})`;
  const framework = await findFrameworkNeeds(files, manifest);
  const isSite = start === null && isBuilt && !hasOwnStart && framework.missingAdapter === undefined;
  const needed = new Set(needsInstall || isBuilt ? manager.programs : []);
  // The static file server runs on Node too.
  if (manager.name !== 'bun' || isSite) needed.add('node');
  const packages = [...node.packages, ...(needsInstall || isBuilt || start !== null ? manager.packages : [])];
  const brought = packages.length === 0 ? undefined : bringPrograms(packages, node.missing || manager.missing);
  if (brought !== undefined) needed.add('npm');

  return createDraft(
    // A Bun that isn't installed comes from Node's npm.
    isSite ? 'static' : manager.name === 'bun' && manager.packages.length === 0 ? 'bun' : 'node',
    isSite ? `a site built with ${title}` : title,
    {
      programs: [...needed],
      install: [...(brought ? [brought.install] : []), ...(needsInstall ? [manager.install] : [])],
      build: isBuilt ? [manager.run('build')] : [],
      start,
      site: isSite ? { folder: null, isSinglePage: false } : null,
      env: { ...serviceEnv(manifest), ...framework.env },
      sharedFolders: ['node_modules', ...(brought ? [brought.folder] : [])],
      toolFolders: brought?.toolFolders ?? [],
      binFolders: ['node_modules/.bin'],
      dependencies: needsInstall
        ? await dependencyInputs(files, manifest, manager, brought?.folder)
        : // Only the install command determines these packages.
          ((brought && { folders: [brought.folder], lockFiles: [], isPinned: true }) ?? null),
      notices: [...node.notices, ...manager.notices, ...framework.notices],
      buildEnv: { ...manager.env, ...framework.buildEnv },
      whyNoStart:
        framework.missingAdapter ??
        'package.json has neither a "start" script nor a "main" file, and there is no server.js, index.js or app.js; add a "start" script.',
    },
  );
}

/**
 * Adapts a tenant's start command to this machine: `npm start` and similar commands become the command of the script.
 */
export async function adaptNodeCommand(files: ProjectFiles, programs: Programs, command: Command): Promise<Command> {
  const source = await files.readText('package.json');
  if (source === undefined) return command;
  const manifest = parsePackageJson(source);
  // Only the script's name matters, so any Node gives the same result.
  const manager = await choosePackageManager({ files, programs, manifest, isNodeBrought: true });
  return directCommand(command, manifest, manager);
}

function serviceEnv({ name, version }: PackageJson): Record<string, string> {
  return {
    NODE_ENV: 'production',
    // npm sets these for a start script.
    ...(name === undefined ? {} : { npm_package_name: name }),
    ...(version === undefined ? {} : { npm_package_version: version }),
  };
}

async function dependencyInputs(
  files: ProjectFiles,
  manifest: PackageJson,
  manager: PackageManager,
  broughtFolder: string | undefined,
) {
  const runsOwnCode = hasInstallScripts(manifest) || (await files.kindOf('binding.gyp')) !== undefined;
  const isWorkspace = (await files.readText('pnpm-workspace.yaml'))?.includes('packages:') ?? false;
  const { hasFolders, tarballs } = findLocalDependencies(manifest);
  if (runsOwnCode || isWorkspace || hasFolders) return null;
  const folders = ['node_modules', ...(broughtFolder === undefined ? [] : [broughtFolder])];
  return { folders, lockFiles: [...manager.lockFiles, ...tarballs], isPinned: manager.isPinned };
}

/** Folder of programs that npm installs for a project: inside the artifact, so that the service can run anywhere. */
const TOOLS_FOLDER = '.berth/tools';

/**
 * Returns the parts of a plan that install programs for a project, such as another Node than the server's.
 * @param packages npm packages, e.g. `npm@10`.
 * @param missing Error message if the registry has no such version.
 */
function bringPrograms(packages: readonly string[], missing: string) {
  const install: Command = {
    ...createCommand('npm', 'install', '--prefix', TOOLS_FOLDER, '--no-save', '--no-package-lock', ...packages),
    // The platform in the names of Node's packages is irrelevant to users.
    title: `npm install ${packages.join(' ').replace(/^node-\w+-\w+@/, 'node@')}`,
    // Sources: npm's error codes ETARGET and E404.
    refusal: { afterOutput: ['ETARGET', 'E404'], message: missing },
  };
  return { install, folder: TOOLS_FOLDER, toolFolders: [`${TOOLS_FOLDER}/node_modules/.bin`] };
}
