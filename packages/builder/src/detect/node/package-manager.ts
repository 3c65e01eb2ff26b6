import { type Command, createCommand } from '../../plan/command.ts';
import type { NodeProject, PackageJson } from './package-json.ts';

/** The package manager of a Node project. */
export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  readonly install: Command;
  /** Returns the command that runs a script of package.json. */
  run(script: string): Command;
  readonly programs: readonly string[];
  /** npm packages that install the manager in the project, because the service runs on it as well. */
  readonly packages: readonly string[];
  /** Error message if the registry has no such version. */
  readonly missing: string;
  /** Files that determine the installed packages. */
  readonly lockFiles: readonly string[];
  readonly isPinned: boolean;
  readonly notices: readonly string[];
  /** Settings only for this manager: npm warns about unknown settings. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Context extends NodeProject {
  /** True if the project runs on another Node than the server's; see `chooseNode`. */
  readonly isNodeBrought: boolean;
}

/** Lock files in order of precedence if `packageManager` of package.json doesn't decide. */
const LOCKS: readonly (readonly [file: string, manager: PackageManager['name']])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/**
 * Returns the package manager of a project's lock file, in the version of `packageManager`; npm by default. A missing
 * manager is fetched by npx. Bun, which the service may run on, is installed in the project.
 */
export async function choosePackageManager(context: Context): Promise<PackageManager> {
  const { files, manifest } = context;
  const present: (typeof LOCKS)[number][] = [];
  for (const lock of LOCKS) if ((await files.kindOf(lock[0])) === 'file') present.push(lock);
  const wanted = /^(npm|pnpm|yarn|bun)@/.exec(manifest.packageManager ?? '')?.[1];
  const unlocked = wanted ?? ((await files.kindOf('bunfig.toml')) === 'file' ? 'bun' : 'npm');
  const [file, name] = present.find(([, manager]) => manager === wanted) ?? present[0] ?? [undefined, unlocked];
  const notices = present
    .filter(([other]) => other !== file)
    .map(([other]) => `${other} is not read: ${file} decides.`);
  if (wanted !== undefined && wanted !== name) {
    notices.push(`"packageManager" (${manifest.packageManager}) is not used: ${file} is a lock file of ${name}.`);
  }
  const manager = await createManager(name, context, file);
  return { ...manager, notices: [...notices, ...manager.notices] };
}

async function createManager(name: string, context: Context, lock: string | undefined): Promise<PackageManager> {
  switch (name) {
    case 'pnpm':
      return createPnpm(context, lock);
    case 'yarn':
      return createYarn(context, lock);
    case 'bun':
      return createBun(context, lock);
    default:
      return createNpm(context, lock);
  }
}

const COMMON = { packages: [], missing: '', notices: [] };

async function createNpm(context: Context, lock: string | undefined): Promise<PackageManager> {
  const pinned = pinnedVersion('npm', context.manifest);
  // An installed Node comes with this npm.
  const isHere = pinned === undefined || context.isNodeBrought || (await isInstalled('npm', pinned, context));
  const npm = titled('npm', isHere ? ['npm'] : ['npx', '--yes', `npm@${pinned}`]);
  // Lock files made on another platform or by another npm often lack packages that are optional there.
  const otherwise = {
    afterOutput: 'are in sync',
    notice: `${lock} is out of sync with package.json: npm install uses the latest versions of missing packages`,
    command: npm('install'),
  };
  return {
    ...COMMON,
    name: 'npm',
    install: lock === undefined ? npm('install') : { ...npm('ci'), otherwise },
    run: (script) => npm('run', script),
    programs: ['node', 'npm'],
    lockFiles: ['package.json', '.npmrc', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
  };
}

async function createBun(context: Context, lock: string | undefined): Promise<PackageManager> {
  const pinned = pinnedVersion('bun', context.manifest);
  const isHere = await isInstalled('bun', pinned, context);
  const notice = 'Bun is not installed on this server: installing it with npm.';
  return {
    ...COMMON,
    name: 'bun',
    install: createCommand('bun', 'install', ...(lock === undefined ? [] : ['--frozen-lockfile'])),
    run: (script) => createCommand('bun', 'run', script),
    programs: isHere ? ['bun'] : ['node', 'npm'],
    packages: isHere ? [] : [`bun@${pinned ?? '1'}`],
    missing: `"packageManager" asks for Bun ${pinned}, but the npm registry doesn't have it. Use a version from https://www.npmjs.com/package/bun.`,
    lockFiles: ['package.json', 'bunfig.toml', '.npmrc', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    notices: isHere
      ? []
      : [pinned === undefined ? notice : `"packageManager" asks for Bun ${pinned}: installing it with npm.`],
  };
}

async function createPnpm(context: Context, lock: string | undefined): Promise<PackageManager> {
  const pinned = pinnedVersion('pnpm', context.manifest);
  const isHere = await isInstalled('pnpm', pinned, context);
  const text = lock === undefined ? '' : ((await context.files.readText(lock)) ?? '');
  const pnpm = titled('pnpm', isHere ? ['pnpm'] : ['npx', '--yes', `pnpm@${pinned ?? pnpmVersion(text)}`]);
  return {
    ...COMMON,
    name: 'pnpm',
    install: pnpm('install', ...(lock === undefined ? [] : ['--frozen-lockfile'])),
    run: (script) => pnpm('run', script),
    programs: isHere ? ['node', 'pnpm'] : ['node', 'npm'],
    lockFiles: ['package.json', '.npmrc', 'pnpm-workspace.yaml', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    // A file hard-linked to the store could still be changed through the store.
    env: { npm_config_package_import_method: 'copy' },
  };
}

async function createYarn(context: Context, lock: string | undefined): Promise<PackageManager> {
  const { files, manifest } = context;
  const text = lock === undefined ? '' : ((await files.readText(lock)) ?? '');
  const settings = (await files.readText('.yarnrc.yml')) ?? '';
  const pinned = pinnedVersion('yarn', manifest);
  // An empty lock file only marks the root of the project.
  const isLocked = text.trim() !== '';
  // Yarn 1 writes "# yarn lockfile v1"; all later versions write this key.
  const isModern = isLocked ? text.includes('__metadata:') : settings !== '' || !/^(1\.|$)/.test(pinned ?? '');
  const ownFile = /^yarnPath:\s*["']?([\w./@-]+)["']?\s*$/m.exec(settings)?.[1];
  let program = ['yarn'];
  let programs = ['node', 'yarn'];
  if (isModern && ownFile !== undefined && (await files.kindOf(ownFile)) === 'file') {
    program = ['node', ownFile];
    programs = ['node'];
  } else if (isModern) {
    // An installed yarn is almost always Yarn 1, which can't read this lock file.
    program = ['npx', '--yes', '--package', `@yarnpkg/cli-dist@${pinned ?? '4'}`, 'yarn'];
    programs = ['node', 'npm'];
  } else if (!(await isInstalled('yarn', pinned, context))) {
    program = ['npx', '--yes', `yarn@${pinned ?? '1.22.22'}`];
    programs = ['node', 'npm'];
  }
  const yarn = titled('yarn', program);
  // With CI set, later versions refuse to create a lock file by default.
  const frozen = isModern ? [isLocked ? '--immutable' : '--no-immutable'] : isLocked ? ['--frozen-lockfile'] : [];
  return {
    ...COMMON,
    name: 'yarn',
    install: yarn('install', ...frozen),
    run: (script) => yarn('run', script),
    programs,
    lockFiles: ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', ...(lock === undefined ? [] : [lock])],
    isPinned: isLocked,
  };
}

/** Returns the exact version in `packageManager`, in Corepack's syntax. */
export function pinnedVersion(name: PackageManager['name'], { packageManager }: PackageJson): string | undefined {
  return new RegExp(`^${name}@(\\d+\\.\\d+\\.\\d+[\\w.-]*)`).exec(packageManager ?? '')?.[1];
}

async function isInstalled(name: string, pinned: string | undefined, { programs }: Context): Promise<boolean> {
  if (!(await programs.has(name))) return false;
  return pinned === undefined || (await programs.versionOf(name)) === pinned;
}

/** Returns a function that creates commands of a manager. Titles show `pnpm install`, not how pnpm is run. */
function titled(name: string, program: readonly string[]) {
  return (...args: readonly string[]): Command => ({
    ...createCommand(...program, ...args),
    title: [name, ...args].join(' '),
  });
}

/**
 * Returns the pnpm major that reads a lock file. Source: https://github.com/pnpm/spec/tree/master/lockfile (5.x: 7,
 * 6.x: 8, 9.0: 9 and later).
 */
function pnpmVersion(lock: string): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1];
  return { '5': '7', '6': '8' }[format ?? ''] ?? '10';
}
