import { createError } from '@berth/contract';
import { type BerthJson, parseBerthJson } from '../plan/berth-json.ts';
import { type Command, createCommand } from '../plan/command.ts';
import { createDraft, type Plan, type PlanDraft } from '../plan/plan.ts';
import { explainUnusedProcesses, parseProcfile, refuseOtherProcesses } from '../plan/procfile.ts';
import type { Programs } from '../plan/programs.ts';
import { findFile, type ProjectFiles } from '../plan/project-files.ts';
import { detectDeno } from './detect-deno.ts';
import { detectGo } from './detect-go.ts';
import { detectOthers } from './detect-others.ts';
import { detectStatic } from './detect-static.ts';
import { adaptNodeCommand, detectNode } from './node/detect-node.ts';
import { detectPython } from './python/detect-python.ts';

/** The files that {@link detectPlan} looks for, as a list for error messages. */
export const LOOKED_FOR =
  'berth.json, Procfile, package.json, deno.json, go.mod, go.work, Cargo.toml, pom.xml, build.gradle, *.csproj, Gemfile, composer.json, index.php, uv.lock, Pipfile, pyproject.toml, requirements.txt, manage.py, main.py, app.py, server.js, index.html (also in dist, public, build, out)';

/** Files that are a server by their name if nothing else is found. */
const LONE_FILES = ['server.js', 'server.mjs', 'index.js', 'index.mjs', 'app.js', 'main.js', 'server.ts', 'main.ts'];
const CONTAINER_FILES = ['Dockerfile', 'Containerfile', 'dockerfile'];

/**
 * Detects the plan of a source tree; returns undefined if the project isn't recognized. Explicit configuration takes
 * precedence: `berth.json`, then the Procfile, then the files of the language.
 * @throws BerthError `build_failed` if a configuration file is invalid, if there is no start command, or if the project
 * requires a container engine.
 */
export async function detectPlan(files: ProjectFiles, programs: Programs): Promise<Plan | undefined> {
  const source = await files.readText('berth.json');
  const own: BerthJson = source === undefined ? { env: {} } : parseBerthJson(source);
  const isOwnService = own.start !== undefined || own.site !== undefined;
  const lines = await files.readText('Procfile');
  const procfile = lines === undefined ? undefined : parseProcfile(lines);
  if (procfile && !isOwnService) refuseOtherProcesses(procfile);
  const start = own.site === undefined ? (own.start ?? procfile?.web) : undefined;
  const containerFile = await findContainerFile(files);

  const found = await recognise(files, programs, start !== undefined);
  const isRecognised = start !== undefined || own.site !== undefined || (found !== undefined && isProgram(found));
  if (containerFile !== undefined && !isRecognised) throw containerFileOnly(containerFile);
  if (found === undefined && !isRecognised) {
    if (source === undefined) return undefined;
    throw createError(
      'build_failed',
      'berth.json has neither "start" nor "static", and no other start command was found.',
    );
  }
  const draft =
    found ??
    createDraft(own.site ? 'static' : 'custom', own.start ? 'berth.json' : own.site ? 'a static site' : 'Procfile');
  const notices = [
    ...(containerFile === undefined
      ? []
      : [
          isOwnService
            ? `The ${containerFile} is ignored: berth.json defines the start command`
            : `The ${containerFile} is ignored: the process runtime builds the project as ${draft.title}`,
        ]),
    ...optional(procfile && isOwnService ? explainUnusedProcesses(procfile, 'berth.json') : undefined),
  ];
  const plan = applyOwn(draft, own, start, procfile?.release, notices);
  if (plan.start === null && plan.site === null) throw createError('build_failed', draft.whyNoStart);
  if (plan.kind === 'python') return adaptPython(plan, await programs.has('python'));
  return {
    ...plan,
    start: plan.start && start !== undefined ? await adaptNodeCommand(files, programs, plan.start) : plan.start,
    release: plan.release && (await adaptNodeCommand(files, programs, plan.release)),
  };
}

const optional = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);

/**
 * Reports whether a draft is a whole program. A page in a folder next to a Dockerfile is more often a part of the
 * program in the image. A project that can't be started otherwise is built by its Dockerfile.
 */
function isProgram({ start, site, build }: PlanDraft): boolean {
  return start !== null || (site !== null && (site.folder === '.' || build.length > 0));
}

/**
 * Detects the language of a project. @param hasOwnStart True if the project defines its own start command, so that only
 * its installation is needed.
 */
async function recognise(
  files: ProjectFiles,
  programs: Programs,
  hasOwnStart: boolean,
): Promise<PlanDraft | undefined> {
  const node = await detectNode(files, programs, hasOwnStart);
  // A package.json without a start command often only declares tools, for a Python or Go server or a plain site.
  if (node?.start) return node;
  const declared = (await detectDeno(files)) ?? (await detectGo(files, programs, hasOwnStart));
  if (declared) return declared;
  const other = await detectOthers(files, hasOwnStart);
  if (other) return other;
  const python = await detectPython(files, programs);
  if (python?.isDeclared) return python.draft;
  if (node?.site || (node && hasOwnStart)) return node;
  if (python) return python.draft;
  const site = await detectStatic(files);
  if (site) return site;
  if (node) return node;
  const lone = await findFile(files, LONE_FILES);
  if (lone === undefined) return undefined;
  const env = { NODE_ENV: 'production', HOST: '0.0.0.0' };
  return createDraft('node', 'Node.js', { programs: ['node'], start: createCommand('node', lone), env });
}

/** Applies the settings of berth.json and the Procfile to a draft. */
function applyOwn(
  draft: PlanDraft,
  own: BerthJson,
  start: Command | undefined,
  release: Command | undefined,
  notices: readonly string[],
): Plan {
  const { whyNoStart: _, startNotices, ...plan } = draft;
  return {
    ...plan,
    ...(own.install === undefined ? {} : { install: own.install }),
    ...(own.build === undefined ? {} : { build: own.build }),
    ...(release === undefined ? {} : { release }),
    ...(start === undefined ? {} : { start, site: null }),
    ...(own.site === undefined
      ? {}
      : { start: null, site: own.site, programs: [...new Set([...plan.programs, 'node'])] }),
    buildEnv: { ...plan.buildEnv, ...own.env },
    // A custom install command may read any file of the source.
    dependencies: own.install === undefined ? plan.dependencies : null,
    notices: [...plan.notices, ...(start === undefined && own.site === undefined ? startNotices : []), ...notices],
  };
}

function adaptPython(plan: Plan, hasPython: boolean): Plan {
  const adapt = (command: Command) => adaptPythonCommand(command, hasPython);
  return {
    ...plan,
    install: plan.install.map(adapt),
    build: plan.build.map(adapt),
    start: plan.start && adapt(plan.start),
    release: plan.release && adapt(plan.release),
  };
}

/** Returns the name of the project's Dockerfile; undefined if there is none. */
export const findContainerFile = (files: ProjectFiles): Promise<string | undefined> => findFile(files, CONTAINER_FILES);

/** Returns the error for a project that only its Dockerfile can build. */
function containerFileOnly(name: string) {
  return createError(
    'build_failed',
    `Only the ${name} describes how to build the project, and this server doesn't use a container engine. Add a berth.json with "start" (and "build") or a Procfile, or ask the operator to install Docker or Podman and start Berth with "--runtime docker".`,
  );
}

/**
 * Adapts a tenant's command to this machine: `uv run x`, `poetry run x` and `pipenv run x` run `x` from the environment
 * that the build made, and `python` becomes `python3` if no program is named `python`.
 */
function adaptPythonCommand(command: Command, hasPython: boolean): Command {
  let argv = stripRunner(command.argv);
  if (argv[0] === 'python' && !hasPython) argv = ['python3', ...argv.slice(1)];
  return { ...command, argv };
}

/**
 * Returns what a runner of a Python project runs. `uv run` also takes a script or a module without naming Python.
 * Source: https://docs.astral.sh/uv/reference/cli/#uv-run.
 */
function stripRunner(argv: readonly string[]): readonly string[] {
  const [runner = '', verb] = argv;
  if (!['uv', 'poetry', 'pipenv'].includes(runner) || verb !== 'run') return argv;
  const first = argv.findIndex((element, index) => index > 1 && !element.startsWith('-'));
  if (first < 0) return argv;
  const wanted = argv.slice(first);
  if (runner !== 'uv') return wanted;
  if (['-m', '--module'].includes(argv[first - 1] ?? '')) return ['python', '-m', ...wanted];
  return wanted[0]?.endsWith('.py') ? ['python', ...wanted] : wanted;
}
