import { type Command, createCommand, createShellCommand } from '../../plan/command.ts';
import type { Programs } from '../../plan/programs.ts';
import type { PythonDependencies } from './python-dependencies.ts';
import type { PythonChoice } from './python-version.ts';

/** Folder of the virtual environment. */
export const VENV = '.venv';
/** Folder of a Python that uv downloads: inside the artifact, so that the service can run anywhere. */
const OWN_PYTHON = '.berth/python';
/** Folder of tools that only builds need: in the home folder of the owner's builds. */
const TOOLS = '$HOME/.berth-tools';

/** The steps that install a Python project's packages. */
export interface PythonInstall {
  /** The installer shown in the title; null if there is nothing to install. */
  readonly tool: 'uv' | 'pip' | 'poetry' | 'pdm' | 'pipenv' | null;
  readonly programs: readonly string[];
  /** Steps that install dependencies only, whose results may be cached. */
  readonly install: readonly Command[];
  /** Steps that install the project itself, which changes with every source. */
  readonly build: readonly Command[];
  /** True if the project's files determine all installed packages, and these are in the virtual environment. */
  readonly isComplete: boolean;
  readonly buildEnv: Readonly<Record<string, string>>;
  readonly sharedFolders: readonly string[];
}

/** The requirements exported from a lock file, for pip or uv. */
const EXPORTED = `${TOOLS}/requirements.txt`;

interface LockTool {
  /** The tool's packages, as pip names them. */
  readonly packages: readonly string[];
  /**
   * Command that writes the requirements to standard output. Fails if the lock file is outdated and the tool detects
   * that.
   */
  readonly export: string;
  /** Flag that omits hashes, which pip requires for all packages or for none. */
  readonly withoutHashes: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The tools that read lock files which no other program reads. pip or uv install the packages themselves, because these
 * use the operator's registries; each of the tools has its own settings.
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
/** Creates a command like `shown`, whose elements may refer to the environment. */
const referring = (title: string, ...argv: readonly string[]): Command => ({ title, argv });

/** Makes the link to Python relative, so that it stays valid after both folders are moved. */
const LINK_PYTHON = createShellCommand(
  `python=$(readlink ${VENV}/bin/python); case $python in "$PWD"/*) ln -sfn "../../\${python#"$PWD"/}" ${VENV}/bin/python;; esac`,
);

/**
 * Returns the steps that fill the virtual environment: with uv if it is installed, otherwise with venv and pip. Lock
 * files are read by the tools that wrote them, which pip downloads, since no other program can read them. `extra` are
 * packages that Berth adds to serve the project, such as `uvicorn`.
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
    // An environment contains the path of a Python that uv downloaded.
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
  // pyproject.toml, or only extras.
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
    // Sources: the errors of `uv venv` for an unknown version, and for a failed download.
    refusal: {
      afterOutput: ['No interpreter found', 'Failed to download', 'Failed to install', 'sending request'],
      message: missing,
    },
  };
}
