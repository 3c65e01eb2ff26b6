import { type Command, createCommand, createShellCommand } from '../../plan/command.ts';
import type { Programs } from '../../plan/programs.ts';
import type { PythonDependencies } from './python-dependencies.ts';
import type { PythonChoice } from './python-version.ts';

/** Where a Python project's packages go. */
export const VENV = '.venv';
/** Where a Python goes that uv brings: inside the artifact, so that the service runs on it wherever it is. */
const OWN_PYTHON = '.berth/python';
/** Where tools go that only builds need: the home folder of the owner's builds. */
const TOOLS = '$HOME/.berth-tools';

/** How they get there. */
export interface PythonInstall {
  /** What installs them, for the title; null when there is nothing to install. */
  readonly tool: 'uv' | 'pip' | 'poetry' | 'pdm' | 'pipenv' | null;
  readonly programs: readonly string[];
  /** Of packages only: what these make may be kept for the next build. */
  readonly install: readonly Command[];
  /** Of the project itself, which changes with every source. */
  readonly build: readonly Command[];
  /** All that is installed is known from the project's files, and lies in the virtual environment. */
  readonly isComplete: boolean;
  readonly buildEnv: Readonly<Record<string, string>>;
  readonly sharedFolders: readonly string[];
}

/** The requirements that a lock file comes to, for pip or uv. */
const EXPORTED = `${TOOLS}/requirements.txt`;

interface LockTool {
  /** As pip names them. */
  readonly packages: readonly string[];
  /** Writes the requirements to standard output; fails when the lock file is older than what the project asks for, if the tool can tell. */
  readonly export: string;
  /** Ends the hashes, which pip wants for all packages or for none. */
  readonly withoutHashes: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What reads a lock file that nobody else reads. The packages themselves are installed by pip or uv, which obey the operator's
 * registries; these tools each have settings of their own.
 */
const LOCK_TOOLS: Readonly<Record<'poetry' | 'pdm' | 'pipenv', LockTool>> = {
  poetry: {
    packages: ['poetry', 'poetry-plugin-export'],
    export: 'poetry export --only main',
    withoutHashes: ' --without-hashes',
    env: { POETRY_NO_INTERACTION: '1', POETRY_VIRTUALENVS_CREATE: 'false' },
  },
  pdm: {
    packages: ['pdm'],
    export: 'pdm export --prod -f requirements',
    withoutHashes: ' --no-hashes',
    env: { PDM_CHECK_UPDATE: 'false', PDM_IGNORE_SAVED_PYTHON: '1', PDM_NON_INTERACTIVE: '1' },
  },
  pipenv: {
    packages: ['pipenv'],
    export: 'pipenv verify >&2 && pipenv requirements --hash',
    withoutHashes: '',
    env: { PIPENV_YES: '1', PIPENV_NOSPIN: '1', PIPENV_VERBOSITY: '-1', PIPENV_VENV_IN_PROJECT: '1' },
  },
};

const shown = (title: string, ...argv: readonly string[]): Command => ({ ...createCommand(...argv), title });
/** As `shown`, of elements that may refer to the environment. */
const referring = (title: string, ...argv: readonly string[]): Command => ({ title, argv });

/** The environment finds its Python beside it, also after both were moved. */
const LINK_PYTHON = createShellCommand(
  `python=$(readlink ${VENV}/bin/python); case $python in "$PWD"/*) ln -sfn "../../\${python#"$PWD"/}" ${VENV}/bin/python;; esac`,
);

/**
 * Steps that fill the virtual environment: uv where it is installed, else venv and pip. Lock files are obeyed by the tools that
 * wrote them, which pip fetches, since nothing else can read them.
 * `extra` are packages that Berth adds to serve the project, such as `uvicorn`.
 */
export async function planPythonInstall(
  dependencies: PythonDependencies,
  choice: PythonChoice,
  extra: readonly string[],
  programs: Programs,
): Promise<PythonInstall> {
  const { source, requirements, isPackage, isLocked } = dependencies;
  const nothing = { build: [], isComplete: true, buildEnv: {}, sharedFolders: [] };
  if (source === null && extra.length === 0 && choice.program === 'python3') {
    return { ...nothing, tool: null, programs: ['python3'], install: [] };
  }
  const isUvInstalled = await programs.has('uv');
  const hasUv = isUvInstalled || choice.program === null;
  const uv = isUvInstalled ? 'uv' : `${TOOLS}/uv/bin/uv`;
  const python = `${VENV}/bin/python`;
  const interpreter = choice.program ?? 'python3';
  const fetchTool = (name: string, packages: readonly string[] = [name]) => [
    referring(`python3 -m venv ~/.berth-tools/${name}`, 'python3', '-m', 'venv', '--clear', `${TOOLS}/${name}`),
    referring(
      `pip install ${packages.join(' ')}`,
      ...[`${TOOLS}/${name}/bin/python`, '-m', 'pip', 'install', '--quiet', ...packages],
    ),
  ];
  const make = hasUv
    ? choice.program === null
      ? [makeWithUv(uv, choice), { ...LINK_PYTHON, title: `link ${VENV} to its Python` }]
      : [referring('uv venv', uv, 'venv', '--python', interpreter, VENV)]
    : [shown(`${interpreter} -m venv ${VENV}`, interpreter, '-m', 'venv', '--clear', VENV)];
  const installer = hasUv ? [uv, 'pip', 'install', '--python', python] : [python, '-m', 'pip', 'install'];
  const add = (title: string, ...args: readonly string[]): Command => ({
    title: `${hasUv ? 'uv pip' : 'pip'} install ${title}`,
    argv: [...installer, ...createCommand(...args).argv],
  });
  const extras = extra.length === 0 ? [] : [add(extra.join(' '), '--', ...extra)];
  const begin = [...(hasUv && !isUvInstalled ? fetchTool('uv') : []), ...make];
  const base = {
    tool: hasUv ? ('uv' as const) : ('pip' as const),
    programs: [...(isUvInstalled ? ['uv'] : []), ...(isUvInstalled && choice.program === null ? [] : [interpreter])],
    // The paths of what uv brought are in the environment that is made of it.
    isComplete: choice.program !== null,
    buildEnv: choice.program === null ? { UV_PYTHON_DOWNLOADS: 'automatic', UV_PYTHON_INSTALL_DIR: OWN_PYTHON } : {},
    sharedFolders: choice.program === null ? [OWN_PYTHON] : [],
  };
  const own = isPackage ? [add('.', '--no-deps', '.')] : [];

  if (source === 'uv.lock') {
    const sync = (...flags: readonly string[]) => ({
      title: 'uv sync --frozen --no-dev',
      argv: [uv, 'sync', '--frozen', '--no-dev', '--no-editable', '--inexact', '--python', python, ...flags],
    });
    const first = hasUv ? begin : [...fetchTool('uv'), ...begin];
    return {
      ...base,
      tool: 'uv',
      install: [...first, sync('--no-install-project'), ...extras],
      build: isPackage ? [sync()] : [],
    };
  }
  if (source === 'poetry' || source === 'pdm' || source === 'pipenv') {
    const { packages, env, ...tool } = LOCK_TOOLS[source];
    const line = `PATH="${TOOLS}/${source}/bin:$PATH"; ${tool.export}${dependencies.hasUnhashed ? tool.withoutHashes : ''} > "${EXPORTED}"`;
    const read = { ...createShellCommand(line), title: tool.export.replace(' >&2', '') };
    const lock = referring(`${source} lock`, `${TOOLS}/${source}/bin/${source}`, 'lock');
    const fill = add(`(of ${dependencies.files[0]})`, '-r');
    return {
      ...base,
      tool: source,
      programs: [...new Set([...base.programs, 'python3'])],
      install: [
        ...begin,
        ...fetchTool(source, packages),
        ...(isLocked ? [] : [lock]),
        read,
        { ...fill, argv: [...fill.argv, EXPORTED] },
        ...extras,
      ],
      build: own,
      buildEnv: { ...base.buildEnv, ...env },
    };
  }
  if (source === 'requirements.txt') {
    return {
      ...base,
      install: [...begin, add('-r requirements.txt', '-r', 'requirements.txt'), ...extras],
      build: [],
    };
  }
  // pyproject.toml, or nothing but extras.
  const listed = requirements ?? [];
  const packages = listed.length === 0 ? [] : [add(`(${listed.length} of pyproject.toml)`, '--', ...listed)];
  const isKnown = requirements !== null || !isPackage;
  const build = isPackage && !isKnown ? [add('.', '.')] : own;
  return { ...base, install: [...begin, ...packages, ...extras], build, isComplete: base.isComplete && isKnown };
}

function makeWithUv(uv: string, { request, missing }: PythonChoice): Command {
  return {
    title: `uv venv --python ${request}`,
    argv: [uv, 'venv', ...createCommand('--python', request).argv, VENV],
    // Sources: the errors of `uv venv` for a version that it does not know, and for one that it can't download.
    refusal: {
      afterOutput: ['No interpreter found', 'Failed to download', 'Failed to install', 'sending request'],
      message: missing,
    },
  };
}
