import { createError } from '@berth/contract';
import { PLACED, QUIET } from '../build/build-environment.ts';
import type { Plan, StaticSite } from '../plan/plan.ts';
import { BASE_LANGUAGES, type BaseImages, type BaseLanguage } from './base-images.ts';
import { command, copy, env, from, run } from './buildkit/dockerfile-text.ts';
import { toContainerCommand, toShellLine } from './container-command.ts';

/** The project's folder in the image and in the build context. */
export const PROJECT_FOLDER = 'app';
/** The folder of Berth's own files in the build context. */
export const OWN_FOLDER = 'berth';

/**
 * The service's user, which no base image defines. Files that the service may write to belong to it, as on the process
 * runtime.
 */
const USER = '10001:10001';
const OWNED = `--chown=${USER}`;
const PROJECT = `/${PROJECT_FOLDER}`;
/** Gives the user a passwd entry and a home, because programs look these up. */
const ADD_USER =
  'grep -q "^[^:]*:[^:]*:10001:" /etc/passwd || echo "app:x:10001:10001::/home/app:/bin/sh" >> /etc/passwd; mkdir -p /home/app /app && chown 10001:10001 /home/app /app';
/** The variables by which tools find a certificate bundle. */
const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO'];

const FETCH_MODULES = run('go mod download');
/** Compiles most of the standard library, once for all Go programs on this engine. */
const COMPILE_LIBRARY = run('CGO_ENABLED=0 go build -trimpath net/http');

/** A generated Dockerfile. */
export interface GeneratedDockerfile {
  readonly text: string;
  /** Titles of the instructions that run the project's steps: instruction to e.g. `npm ci`. */
  readonly titles: Readonly<Record<string, string>>;
}

/** Options of {@link generateDockerfile}. */
export interface GenerateOptions {
  readonly plan: Plan;
  readonly images: BaseImages;
  /** The plan's lock files that exist in the project. */
  readonly lockFiles: readonly string[];
  /** Names of the operator's build arguments. No stage that becomes part of the image contains their values. */
  readonly buildArgs: readonly string[];
  /** True if `berth/ca.crt` is in the context. */
  readonly hasBundle: boolean;
  /** The date, in days since 1970. */
  readonly day: number;
  /** Id of the account. Accounts share no step that runs their own commands. */
  readonly account: string;
}

/**
 * Generates the Dockerfile of a plan; the project is in `app/` of the context. Files that only the build needs (the
 * operator's settings, caches, a compiler) stay in stages that aren't part of the image. Dependencies are installed
 * before the source is copied, from the lock files alone if these determine them.
 * @throws BerthError `build_failed` that says how to set a base image if the language has none.
 */
export function generateDockerfile(options: GenerateOptions): GeneratedDockerfile {
  const { plan } = options;
  const stages = needsBuild(plan) ? [...buildStage(options), ...serviceStage(options)] : serviceStage(options);
  const shown = [...plan.install, ...plan.build].flatMap((step) => runStep(step).map((line) => [line, step.title]));
  const own = [
    [FETCH_MODULES, 'go mod download'],
    [COMPILE_LIBRARY, 'go build net/http'],
  ];
  return { text: `${stages.join('\n')}\n`, titles: Object.fromEntries([...shown, ...own]) };
}

function buildStage(options: GenerateOptions): string[] {
  const { plan, lockFiles, buildArgs, hasBundle } = options;
  // ENV overrides ARG, so variables that the operator sets as arguments are left out.
  const tools = Object.entries({ ...QUIET, ...PLACED }).filter(([name]) => !buildArgs.includes(name));
  const bundle = Object.fromEntries(hasBundle ? BUNDLE_VARIABLES.map((name) => [name, '/berth/ca.crt']) : []);
  const lines = [
    from(requireImage(options, buildLanguage(plan)), 'build'),
    'USER 0:0',
    `WORKDIR ${PROJECT}`,
    ...env({ ...Object.fromEntries(tools), ...bundle }),
    ...(plan.kind === 'go' ? [COMPILE_LIBRARY] : []),
    // Engines share equal steps between all builds. Without the label, one account's installed files could be used in
    // another account's build.
    `LABEL berth.account="${options.account}"`,
    ...(hasBundle ? [copy([`${OWN_FOLDER}/ca.crt`], '/berth/ca.crt')] : []),
    ...buildArgs.map((name) => `ARG ${name}`),
    ...env(plan.buildEnv),
    ...pathOf(plan),
  ];
  const rest = [copy([`${PROJECT_FOLDER}/`], `${PROJECT}/`), ...plan.build.flatMap(runStep), ...siteStep(plan)];
  const install = plan.install.flatMap(runStep);
  if (plan.kind === 'go' && lockFiles.length > 0) {
    return [...lines, ...copyFiles(lockFiles), FETCH_MODULES, ...install, ...rest];
  }
  if (!isInstalledFirst(options)) return [...lines, ...rest.slice(0, 1), ...install, ...rest.slice(1)];
  return [
    ...lines,
    // Without a lock file, installed dependencies are reused until the end of the day.
    ...(plan.dependencies?.isPinned ? [] : [`LABEL berth.day="${options.day}"`]),
    ...copyFiles(lockFiles),
    ...install,
    ...(plan.build.length > 0 ? rest : []),
  ];
}

function serviceStage(options: GenerateOptions): string[] {
  const { plan } = options;
  const { start, site } = plan;
  const isBuilt = needsBuild(plan);
  const lines = [
    from(requireImage(options, serviceLanguage(plan))),
    'USER 0:0',
    run(ADD_USER),
    ...env({ HOME: '/home/app', ...plan.env }),
    ...(start === null ? [] : pathOf(plan)),
    // Each instruction is a step that takes time, so these come before the steps that change with each deploy.
    `WORKDIR ${PROJECT}`,
    `USER ${USER}`,
    command(start === null ? serve(site) : toContainerCommand(start.argv)),
    ...(start === null ? [copy([`${OWN_FOLDER}/static-server.mjs`], '/berth/static-server.mjs')] : []),
  ];
  if (start === null && site?.folder === null) {
    return [...lines, copy(['/site/'], `${PROJECT}/site/`, '--from=build', OWNED)];
  }
  if (isBuilt) lines.push(copy([`${PROJECT}/`], `${PROJECT}/`, '--from=build', OWNED));
  const isMissingSource = !isBuilt || (isInstalledFirst(options) && plan.build.length === 0);
  if (isMissingSource) lines.push(copy([`${PROJECT_FOLDER}/`], `${PROJECT}/`, OWNED));
  return lines;
}

const needsBuild = ({ install, build }: Plan) => install.length > 0 || build.length > 0;

/** Reports whether the lock files alone determine the dependencies, and have names that are safe in a COPY. */
function isInstalledFirst({ plan, lockFiles }: GenerateOptions): boolean {
  if (plan.dependencies === null || plan.install.length === 0 || lockFiles.length === 0) return false;
  return lockFiles.every((path) => /^[\w.@+/-]+$/.test(path));
}

function serve(site: StaticSite | null): string[] {
  return ['node', '/berth/static-server.mjs', site?.folder ?? 'site', ...(site?.isSinglePage ? ['--single-page'] : [])];
}

function runStep(step: Plan['build'][number]): string[] {
  const line = toShellLine(step.argv);
  if (step.otherwise === undefined) return [run(line)];
  const { notice, command: alternative } = step.otherwise;
  return [run(`${line} || { echo '${notice.replaceAll("'", `'\\''`)}'; ${toShellLine(alternative.argv)}; }`)];
}

/** Returns the steps that find the built site by its index.html. */
function siteStep({ site }: Plan): string[] {
  if (site === null || site.folder !== null) return [];
  return [copy([`${OWN_FOLDER}/find-site.sh`], '/berth/find-site.sh'), 'RUN sh /berth/find-site.sh'];
}

/** Copies each file to its folder in the project. */
function copyFiles(paths: readonly string[]): string[] {
  const groups = Object.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/') + 1));
  return Object.entries(groups).map(([folder, files = []]) =>
    copy(
      files.map((file) => `${PROJECT_FOLDER}/${file}`),
      `${PROJECT}/${folder}`,
    ),
  );
}

function pathOf({ toolFolders, binFolders }: Plan): string[] {
  const folders = [...toolFolders, ...binFolders];
  if (folders.length === 0) return [];
  return [`ENV PATH="${folders.map((folder) => `${PROJECT}/${folder}:`).join('')}$PATH"`];
}

function buildLanguage(plan: Plan): BaseLanguage {
  if (plan.kind === 'static') return plan.programs.includes('bun') ? 'bun' : 'node';
  if (plan.kind === 'custom') return languageOfCommands(plan);
  const language = BASE_LANGUAGES.find((known) => known === plan.kind);
  if (language !== undefined) return language;
  throw createError(
    'build_failed',
    `Containers of ${plan.title} projects are built from a Dockerfile: add one to the project.`,
  );
}

function serviceLanguage(plan: Plan): BaseLanguage {
  if (plan.start === null) return 'node';
  return plan.kind === 'go' && plan.start.argv[0] !== 'go' ? 'plain' : buildLanguage(plan);
}

/** Returns the language of custom commands, by the programs that they name. */
function languageOfCommands({ install, build, start }: Plan): BaseLanguage {
  const commands = [...install, ...build, ...(start === null ? [] : [start])];
  for (const word of commands.flatMap(({ argv }) => argv.flatMap((element) => element.split(/\s+/)))) {
    if (/^(node|npm|npx)$/.test(word)) return 'node';
    if (/^python3?$/.test(word)) return 'python';
    if (word === 'go' || word === 'deno' || word === 'bun') return word;
  }
  return 'plain';
}

function requireImage({ images }: GenerateOptions, language: BaseLanguage): string {
  const image = images[language];
  if (image !== undefined) return image;
  throw createError(
    'build_failed',
    `This server has no base image for ${language} projects. The operator can set one with --base-images ${language}=IMAGE; or add a Dockerfile to the project.`,
  );
}
