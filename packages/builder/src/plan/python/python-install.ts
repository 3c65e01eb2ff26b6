import { type Command, createCommand } from '../command.ts';
import type { Programs } from '../programs.ts';
import type { PythonDependencies } from './python-dependencies.ts';

/** Where a Python project's packages go. */
export const VENV = '.venv';

/** How they get there. */
export interface PythonInstall {
  /** `uv` or `pip`, for the title; null when there is nothing to install. */
  readonly tool: 'uv' | 'pip' | null;
  readonly programs: readonly string[];
  /** Of packages only: what these make may be kept for the next build. */
  readonly install: readonly Command[];
  /** Of the project itself, which changes with every source. */
  readonly build: readonly Command[];
  /** All that is installed is known from the project's files. */
  readonly isComplete: boolean;
}

const shown = (title: string, ...argv: readonly string[]): Command => ({ ...createCommand(...argv), title });

/**
 * Steps that fill the virtual environment: uv where it is installed, else venv and pip. A uv.lock without uv is obeyed by
 * a uv that pip fetches, since nothing else can read it.
 * `extra` are packages that Berth adds to serve the project, such as `uvicorn`.
 */
export async function planPythonInstall(
  dependencies: PythonDependencies,
  extra: readonly string[],
  programs: Programs,
): Promise<PythonInstall> {
  const { source, requirements, isPackage } = dependencies;
  if (source === null && extra.length === 0) {
    return { tool: null, programs: ['python3'], install: [], build: [], isComplete: true };
  }
  const hasUv = await programs.has('uv');
  const python = `${VENV}/bin/python`;
  const make = hasUv
    ? shown('uv venv', 'uv', 'venv', VENV)
    : shown('python3 -m venv .venv', 'python3', '-m', 'venv', '--clear', VENV);
  const add = (title: string, ...args: readonly string[]) =>
    hasUv
      ? shown(`uv pip install ${title}`, 'uv', 'pip', 'install', '--python', python, ...args)
      : shown(`pip install ${title}`, python, '-m', 'pip', 'install', ...args);
  const extras = extra.length === 0 ? [] : [add(extra.join(' '), '--', ...extra)];
  const base = { tool: hasUv ? ('uv' as const) : ('pip' as const), programs: hasUv ? ['uv', 'python3'] : ['python3'] };

  if (source === 'uv.lock') {
    const uv = hasUv ? 'uv' : `${VENV}/bin/uv`;
    const sync = (...flags: readonly string[]) =>
      shown('uv sync --frozen --no-dev', uv, 'sync', '--frozen', '--no-dev', '--no-editable', '--inexact', ...flags);
    const first = hasUv ? [make] : [make, add('uv', '--', 'uv')];
    return {
      ...base,
      tool: 'uv',
      install: [...first, sync('--no-install-project'), ...extras],
      build: isPackage ? [sync()] : [],
      isComplete: true,
    };
  }
  if (source === 'requirements.txt') {
    return {
      ...base,
      install: [make, add('-r requirements.txt', '-r', 'requirements.txt'), ...extras],
      build: [],
      isComplete: true,
    };
  }
  // pyproject.toml, or nothing but extras.
  const listed = requirements ?? [];
  const packages = listed.length === 0 ? [] : [add(`(${listed.length} of pyproject.toml)`, '--', ...listed)];
  const isKnown = requirements !== null || !isPackage;
  const own = isPackage ? [add('.', ...(isKnown ? ['--no-deps'] : []), '.')] : [];
  return { ...base, install: [make, ...packages, ...extras], build: own, isComplete: isKnown };
}
