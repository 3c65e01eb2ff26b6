import { type Command, createCommand, createLineCommand } from '../../plan/command.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { hasAutomaticAdapter } from './framework-needs.ts';
import { dependencyNames, type PackageJson } from './package-json.ts';
import type { PackageManager } from './package-manager.ts';

/**
 * Files that are a server by their name, in order of preference. Node runs .ts itself
 * (https://nodejs.org/api/typescript.html).
 */
const SERVER_FILES = ['server', 'index', 'app', 'main', 'src/server', 'src/index', 'src/app', 'src/main'].flatMap(
  (name) => ['js', 'mjs', 'cjs', 'ts'].map((extension) => `${name}.${extension}`),
);

/** Matches a call that starts a server. Browser code uses the same file names. */
const SERVES = /\b(listen|createServer|serve)\s*\(/;

/** Matches start scripts of development servers. The build output of such a project is a static site. */
const DEVELOPMENT_SERVER =
  /^(react-scripts start|vite(\s+(dev|serve|preview)\b.*|\s+-.*)?|ng serve\b.*|vue-cli-service serve\b.*|webpack(-dev-server|\s+serve)\b.*|parcel\b.*|(astro|rsbuild) (dev|preview)\b.*|gatsby develop\b.*|docusaurus start\b.*|eleventy\b.*\s--serve\b.*)$/;

/** Scripts that start a built server. Sources: Angular's `ng new --ssr`, Qwik's `qwik add`. */
const BUILT_SERVER_SCRIPTS = [
  { script: /^serve:ssr:/, line: /^node dist\// },
  { script: /^serve$/, line: /^node server\/entry\./ },
];

/** The start command of a server built by @sveltejs/adapter-node. */
const SVELTEKIT_START = ['node', 'build/index.js'] as const;

/** Start commands of frameworks that have their own server and often no start script. */
const FRAMEWORKS: readonly (readonly [dependency: string, command: readonly string[]])[] = [
  ['next', ['next', 'start']],
  ['nuxt', ['node', '.output/server/index.mjs']],
  ['@sveltejs/adapter-node', SVELTEKIT_START],
  ['@astrojs/node', ['node', 'dist/server/entry.mjs']],
  ['@react-router/serve', ['react-router-serve', 'build/server/index.js']],
];

/** Maximum depth of scripts that call scripts. Deeper ones are run by the package manager. */
const MAX_DEPTH = 5;

/**
 * Returns the start command of a Node project; undefined if none is found, or if the project is a site that only has to
 * be built.
 */
export async function findNodeStart(
  files: ProjectFiles,
  manifest: PackageJson,
  manager: PackageManager,
): Promise<Command | undefined> {
  const { scripts, main } = manifest;
  const program = manager.name === 'bun' ? 'bun' : 'node';
  const start = scripts['start']?.trim();
  const hasBuild = scripts['build'] !== undefined;
  const isDeveloped = hasBuild && start !== undefined && DEVELOPMENT_SERVER.test(start);
  if (start && !isDeveloped) return scriptCommand('start', manifest, manager);
  const served = Object.keys(scripts).find((name) =>
    BUILT_SERVER_SCRIPTS.some(({ script, line }) => script.test(name) && line.test(scripts[name] ?? '')),
  );
  if (served !== undefined) return scriptCommand(served, manifest, manager);

  const names = dependencyNames(manifest);
  if (hasAutomaticAdapter(names)) return createCommand(...SVELTEKIT_START);
  const framework = FRAMEWORKS.find(([dependency]) => names.has(dependency));
  if (framework) return createCommand(...framework[1]);

  const hasPage = isDeveloped || (await files.kindOf('index.html')) === 'file';
  const serves = async (path: string) => {
    const text = await files.readText(path);
    return text !== undefined && (!hasPage || SERVES.test(text));
  };
  if (main) {
    const path = main.replace(/^\.\//, '');
    for (const candidate of [path, `${path}.js`, `${path}/index.js`]) {
      if (await serves(candidate)) return createCommand(program, candidate);
    }
    if (hasBuild && !hasPage && /^(dist|build|lib|out)\//.test(path)) return createCommand(program, path);
  }
  for (const path of SERVER_FILES) if (await serves(path)) return createCommand(program, path);
  return undefined;
}

/**
 * Returns a script as a command. The script's command is run directly, because a package manager adds about 300 ms to
 * each cold start (measured: npm 11 on 2 cores) and doesn't forward signals. Scripts with pre or post scripts still run
 * through the package manager.
 */
function scriptCommand(name: string, manifest: PackageJson, manager: PackageManager, depth = 0): Command {
  const { scripts } = manifest;
  if (Object.hasOwn(scripts, `pre${name}`) || Object.hasOwn(scripts, `post${name}`)) return manager.run(name);
  const command = createLineCommand(scripts[name] ?? '', `The ${name} script of package.json`);
  return directCommand(command, manifest, manager, depth + 1);
}

/**
 * Replaces a command that only calls a script of package.json with that script's command; returns other commands
 * unchanged.
 */
export function directCommand(command: Command, manifest: PackageJson, manager: PackageManager, depth = 0): Command {
  const script = calledScript(command.argv);
  if (script === undefined || !Object.hasOwn(manifest.scripts, script) || depth > MAX_DEPTH) return command;
  return scriptCommand(script, manifest, manager, depth);
}

/** Returns the script that `npm run x`, `pnpm x` or `yarn x` calls without further arguments. */
function calledScript(argv: readonly string[]): string | undefined {
  const [program, first, second, ...more] = argv;
  if (more.length > 0 || first === undefined) return undefined;
  if (!['npm', 'pnpm', 'yarn', 'bun'].includes(program ?? '')) return undefined;
  if (first === 'run' || first === 'run-script') return second;
  if (second !== undefined) return undefined;
  return program === 'npm' && first !== 'start' ? undefined : first;
}
