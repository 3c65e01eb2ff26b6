import { DEPLOY_DEFAULTS } from '@berth/contract';
import type { Command } from '../../plan/command.ts';
import { createDraft, type PlanDraft } from '../../plan/plan.ts';
import type { Programs } from '../../plan/programs.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { readPythonDependencies } from './python-dependencies.ts';
import { planPythonInstall, VENV } from './python-install.ts';
import { findPythonStart, toPythonCommand } from './python-start.ts';
import { choosePython } from './python-version.ts';

/** A detected Python project. `isDeclared` is false if only the name of its main file suggests Python. */
export interface PythonDetection {
  readonly draft: PlanDraft;
  readonly isDeclared: boolean;
}

/**
 * Detects a project with uv.lock, poetry.lock, pdm.lock, Pipfile, requirements.txt, pyproject.toml or manage.py, or
 * only a main.py; returns undefined for other projects.
 * @throws BerthError `build_failed` if one of these files is invalid.
 */
export async function detectPython(files: ProjectFiles, programs: Programs): Promise<PythonDetection | undefined> {
  const dependencies = await readPythonDependencies(files);
  const isDeclared = dependencies.isProject || (await files.kindOf('manage.py')) === 'file';
  const start = await findPythonStart(files, dependencies.names, isDeclared);
  if (!isDeclared && start === undefined) return undefined;

  const choice = await choosePython(files, programs, dependencies.python);
  const setup = await planPythonInstall(dependencies, choice, start?.extra ?? [], programs);
  const hasVenv = setup.tool !== null;
  const unread = dependencies.unread.map((name) => `${name} is not read: ${dependencies.files[0]} decides.`);
  const python = hasVenv ? `${VENV}/bin/python` : 'python3';
  const [script, ...moreScripts] = dependencies.scripts;
  let command: Command | null = null;
  if (start !== undefined) command = toPythonCommand(start, python);
  else if (hasVenv && script !== undefined && moreScripts.length === 0) command = { title: script, argv: [script] };
  const title = ['Python', start?.framework, setup.tool && `(${setup.tool})`].filter(Boolean).join(' ');

  const draft = createDraft('python', title, {
    programs: setup.programs,
    install: setup.install,
    build: [
      ...setup.build,
      ...(start?.buildSteps ?? []).map((args) => ({ title: `python ${args.join(' ')}`, argv: [python, ...args] })),
    ],
    start: command,
    env: {
      // Lines reach the log as soon as they are printed, not when a buffer is full.
      PYTHONUNBUFFERED: '1',
      // Only for programs that run outside a deployment: the platform sets both.
      WEB_CONCURRENCY: '1',
      WEB_THREADS: String(DEPLOY_DEFAULTS.concurrency),
      // For commands that set no address themselves. Sources: uvicorn and Flask settings by environment.
      ...(dependencies.names.has('uvicorn') ? { UVICORN_HOST: '0.0.0.0' } : {}),
      ...(dependencies.names.has('flask') ? { FLASK_RUN_HOST: '0.0.0.0' } : {}),
    },
    buildEnv: setup.buildEnv,
    sharedFolders: [VENV, ...setup.sharedFolders],
    binFolders: hasVenv ? [`${VENV}/bin`] : [],
    dependencies:
      hasVenv && setup.isComplete && !dependencies.hasLocalSources
        ? { folders: [VENV], lockFiles: dependencies.files, isPinned: dependencies.isLocked }
        : null,
    notices: [...choice.notices, ...unread],
    startNotices: start?.notices ?? [],
    whyNoStart:
      'This Python project has no application (FastAPI, Starlette, Litestar, Quart, Flask, Django) and no main.py, app.py, server.py or __main__.py; add a Procfile with a web line.',
  });
  return { draft, isDeclared };
}
