import { type Command, createCommand } from '../command.ts';
import type { HasProgram } from '../programs.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { PackageJson } from './package-json.ts';

/** How a Node project's packages are installed and its scripts run. */
export interface PackageManager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  readonly install: Command;
  /** Runs a script of package.json. */
  run(script: string): Command;
  readonly programs: readonly string[];
  /** Files that decide what is installed. */
  readonly lockFiles: readonly string[];
  readonly isPinned: boolean;
  readonly notices: readonly string[];
  /** Settings of the manager that no other one knows: npm warns of those it doesn't. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Context {
  readonly files: ProjectFiles;
  readonly hasProgram: HasProgram;
  readonly manifest: PackageJson;
}

/** Lock files in the order they are believed when `packageManager` of package.json does not decide. */
const LOCKS: readonly (readonly [file: string, manager: PackageManager['name']])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** The manager a project was locked with; npm when nothing says. One that is missing here is fetched by npx where that works. */
export async function choosePackageManager(context: Context): Promise<PackageManager> {
  const { files, hasProgram, manifest } = context;
  const present: (typeof LOCKS)[number][] = [];
  for (const lock of LOCKS) if ((await files.kindOf(lock[0])) === 'file') present.push(lock);
  const wanted = /^(npm|pnpm|yarn|bun)@/.exec(manifest.packageManager ?? '')?.[1];
  const unlocked = wanted ?? ((await files.kindOf('bunfig.toml')) === 'file' ? 'bun' : 'npm');
  const [file, name] = present.find(([, manager]) => manager === wanted) ?? present[0] ?? [undefined, unlocked];
  switch (name) {
    case 'pnpm':
      return createPnpm(context, file);
    case 'yarn':
      return createYarn(context, file);
    case 'bun': {
      if (await hasProgram('bun')) return createBun(file);
      const notice =
        'Bun is not installed on this server: npm installs the packages, and the versions of bun.lock do not count.';
      return { ...createNpm(undefined), notices: [notice] };
    }
    default:
      return createNpm(file);
  }
}

function createNpm(lock: string | undefined): PackageManager {
  const install = createCommand('npm', 'install');
  // Locks made on another platform or by another npm often lack packages that are optional there.
  const otherwise = {
    afterOutput: 'are in sync',
    notice: `${lock} does not fit package.json: npm install takes what is missing at its newest version`,
    command: install,
  };
  return {
    name: 'npm',
    install: lock === undefined ? install : { ...createCommand('npm', 'ci'), otherwise },
    run: (script) => createCommand('npm', 'run', script),
    programs: ['node', 'npm'],
    lockFiles: ['package.json', '.npmrc', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    notices: [],
  };
}

function createBun(lock: string | undefined): PackageManager {
  return {
    name: 'bun',
    install: createCommand('bun', 'install', ...(lock === undefined ? [] : ['--frozen-lockfile'])),
    run: (script) => createCommand('bun', 'run', script),
    programs: ['bun'],
    lockFiles: ['package.json', 'bunfig.toml', '.npmrc', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    notices: [],
  };
}

async function createPnpm({ files, hasProgram, manifest }: Context, lock: string | undefined): Promise<PackageManager> {
  const isInstalled = await hasProgram('pnpm');
  const text = lock === undefined ? '' : ((await files.readText(lock)) ?? '');
  const program = isInstalled ? ['pnpm'] : ['npx', '--yes', `pnpm@${pnpmVersion(text, manifest.packageManager)}`];
  return {
    name: 'pnpm',
    ...titled('pnpm', program, lock === undefined ? [] : ['--frozen-lockfile']),
    programs: isInstalled ? ['node', 'pnpm'] : ['node', 'npm'],
    lockFiles: ['package.json', '.npmrc', 'pnpm-workspace.yaml', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    notices: [],
    // A file with a second name in the store could still be changed through that one.
    env: { npm_config_package_import_method: 'copy' },
  };
}

async function createYarn({ files, hasProgram, manifest }: Context, lock: string | undefined): Promise<PackageManager> {
  const text = lock === undefined ? '' : ((await files.readText(lock)) ?? '');
  const settings = (await files.readText('.yarnrc.yml')) ?? '';
  // Yarn 1 writes "# yarn lockfile v1"; every later one writes this key.
  const isModern = text.includes('__metadata:') || (lock === undefined && settings !== '');
  const ownFile = /^yarnPath:\s*["']?([\w./@-]+)["']?\s*$/m.exec(settings)?.[1];
  const version = /^yarn@(\d+\.\d+\.\d+)/.exec(manifest.packageManager ?? '')?.[1];
  let program = ['yarn'];
  let programs = ['node', 'yarn'];
  if (isModern && ownFile !== undefined && (await files.kindOf(ownFile)) === 'file') {
    program = ['node', ownFile];
    programs = ['node'];
  } else if (isModern) {
    // An installed yarn is Yarn 1 almost everywhere, which can't read this lock file.
    program = ['npx', '--yes', '--package', `@yarnpkg/cli-dist@${version ?? '4'}`, 'yarn'];
    programs = ['node', 'npm'];
  } else if (!(await hasProgram('yarn'))) {
    program = ['npx', '--yes', `yarn@${version ?? '1.22.22'}`];
    programs = ['node', 'npm'];
  }
  const frozen = isModern ? '--immutable' : '--frozen-lockfile';
  return {
    name: 'yarn',
    ...titled('yarn', program, lock === undefined ? [] : [frozen]),
    programs,
    lockFiles: ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', ...(lock === undefined ? [] : [lock])],
    isPinned: lock !== undefined,
    notices: [],
  };
}

/** People are shown `pnpm install`, not how pnpm was come by. */
function titled(name: string, program: readonly string[], flags: readonly string[]) {
  const command = (...args: readonly string[]): Command => ({
    ...createCommand(...program, ...args),
    title: [name, ...args].join(' '),
  });
  return { install: command('install', ...flags), run: (script: string) => command('run', script) };
}

/** The version that reads a lock file. Source: https://github.com/pnpm/spec/tree/master/lockfile (5.x: 7, 6.x: 8, 9.0: 9 and later). */
function pnpmVersion(lock: string, packageManager: string | undefined): string {
  const named = /^pnpm@(\d+\.\d+\.\d+)/.exec(packageManager ?? '')?.[1];
  if (named !== undefined) return named;
  const format = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1];
  return { '5': '7', '6': '8' }[format ?? ''] ?? '10';
}
