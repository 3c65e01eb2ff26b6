import { createError } from '@berth/contract';
import { PLACED, QUIET } from '../build/build-environment.ts';
import type { Plan, StaticSite } from '../plan/plan.ts';
import { BASE_LANGUAGES, type BaseImages, type BaseLanguage } from './base-images.ts';
import { command, copy, env, from, run } from './buildkit/dockerfile-text.ts';
import { toContainerCommand, toShellLine } from './container-command.ts';

/** Where the project lies in the image, and in the context. */
export const PROJECT_FOLDER = 'app';
/** Berth's own files in the context. */
export const OWN_FOLDER = 'berth';

/** Who the service is: no user of any base image. Files it may write to are its own, as on the process runtime. */
const USER = '10001:10001';
const OWNED = `--chown=${USER}`;
const PROJECT = `/${PROJECT_FOLDER}`;
/** Programs ask who they are, and for a home. */
const ADD_USER =
  'grep -q "^[^:]*:[^:]*:10001:" /etc/passwd || echo "app:x:10001:10001::/home/app:/bin/sh" >> /etc/passwd; mkdir -p /home/app /app && chown 10001:10001 /home/app /app';
/** What reads a bundle of certificates, each by its own name. */
const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO'];

const FETCH_MODULES = run('go mod download');
/** The largest part of the standard library, compiled once for all programs of this engine. */
const COMPILE_LIBRARY = run('CGO_ENABLED=0 go build -trimpath net/http');

export interface GeneratedDockerfile {
  readonly text: string;
  /** What people are shown of the instructions that do something of the project's: instruction to e.g. `npm ci`. */
  readonly titles: Readonly<Record<string, string>>;
}

export interface GenerateOptions {
  readonly plan: Plan;
  readonly images: BaseImages;
  /** Lock files of the plan that the project has. */
  readonly lockFiles: readonly string[];
  /** Names of the operator's build arguments. Their values are in no stage that ends in the image. */
  readonly buildArgs: readonly string[];
  /** `berth/ca.crt` is in the context. */
  readonly hasBundle: boolean;
  /** Days since 1970. */
  readonly day: number;
  /** Id of the account; accounts share no step that runs their own commands. */
  readonly account: string;
}

/**
 * The Dockerfile of a plan; its context has the project in `app/`. What a build needs and the service doesn't (the operator's
 * settings, caches, a compiler) stays in stages that don't end in the image. Dependencies are installed before the source
 * comes, from the lock files alone where those decide.
 * @throws BerthError `build_failed` when there is no base image for the language, saying how to set one.
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
  // Where both are, ENV wins over ARG, and the operator's word over these.
  const tools = Object.entries({ ...QUIET, ...PLACED }).filter(([name]) => !buildArgs.includes(name));
  const bundle = Object.fromEntries(hasBundle ? BUNDLE_VARIABLES.map((name) => [name, '/berth/ca.crt']) : []);
  const lines = [
    from(requireImage(options, buildLanguage(plan)), 'build'),
    'USER 0:0',
    `WORKDIR ${PROJECT}`,
    ...env({ ...Object.fromEntries(tools), ...bundle }),
    ...(plan.kind === 'go' ? [COMPILE_LIBRARY] : []),
    // An engine takes equal steps from whoever ran them first: a key that one account's installation made would be another's too.
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
    // Without a lock file, what was installed is used for the rest of the day and not longer.
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
    // Each is a step that takes time, so they come before what changes with each deploy.
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

/** Only the lock files decide what is installed, and they are names that can stand in a COPY. */
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

/** A build says where its site is by where the page lies. */
function siteStep({ site }: Plan): string[] {
  if (site === null || site.folder !== null) return [];
  return [copy([`${OWN_FOLDER}/find-site.sh`], '/berth/find-site.sh'), 'RUN sh /berth/find-site.sh'];
}

/** Each into the folder it has in the project. */
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

/** Commands that nothing else in the project explains need what they name. */
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
    `This server has no base image for ${language} projects. Its operator can set one with --base-images ${language}=IMAGE; or add a Dockerfile to the project.`,
  );
}
