import type { Command } from '../command.ts';
import type { ProjectFiles } from '../project-files.ts';
import { findPythonApp, type PythonApp } from './find-python-app.ts';

/** How a Python project is started. */
export interface PythonStart {
  /** e.g. `FastAPI`, for the title. */
  readonly framework: string | null;
  /** Arguments of the interpreter, as elements for `expandCommand`. */
  readonly args: readonly string[];
  /** Variables that only the command line can set. */
  readonly env?: readonly string[];
  /** Packages to install besides what the project asks for. */
  readonly extra: readonly string[];
  readonly buildSteps?: readonly (readonly string[])[];
  readonly notices: readonly string[];
}

const ADDRESS = ['--host', '0.0.0.0', '--port', '$PORT'];
/** One process with threads serves requests beside one another; gunicorn's default is one after another. */
const GUNICORN = ['-m', 'gunicorn', '--bind', '0.0.0.0:$PORT', '--workers', '1', '--threads', '16'];
/** Plain programs, best first. */
const MAIN_FILES = [
  'main.py',
  'app.py',
  'server.py',
  'run.py',
  'index.py',
  'streamlit_app.py',
  'src/main.py',
  'src/app.py',
];

/**
 * Finds the application and the server for it; undefined when there is nothing to start. Unless a file declares the tree a Python
 * project, only its root counts: what is deeper may be a whole project in a folder.
 */
export async function findPythonStart(
  files: ProjectFiles,
  names: ReadonlySet<string>,
  isDeclared: boolean,
): Promise<PythonStart | undefined> {
  const django = await findDjango(files, names);
  if (django) return django;
  const app = await findPythonApp(files, isDeclared ? 3 : 1);
  if (app) return app.protocol === 'asgi' ? startAsgi(app, names) : startWsgi(app, names);
  return findScript(files, names, isDeclared);
}

async function findDjango(files: ProjectFiles, names: ReadonlySet<string>): Promise<PythonStart | undefined> {
  const manage = await files.readText('manage.py');
  if (manage === undefined) return undefined;
  const project = /DJANGO_SETTINGS_MODULE["'],\s*["'](\w+)\./.exec(manage)?.[1];
  if (project === undefined) return undefined;
  const has = async (file: string) => (await files.kindOf(`${project}/${file}.py`)) === 'file';
  const base = {
    framework: 'Django',
    extra: [],
    notices: [],
    // WhiteNoise serves what this gathers; without it nothing would.
    ...(names.has('whitenoise') ? { buildSteps: [['manage.py', 'collectstatic', '--noinput']] } : {}),
  };
  if (names.has('gunicorn') && (await has('wsgi')))
    return { ...base, args: [...GUNICORN, `${project}.wsgi:application`] };
  if (hasUvicorn(names) && (await has('asgi'))) {
    return { ...base, args: ['-m', 'uvicorn', `${project}.asgi:application`, ...ADDRESS] };
  }
  const notices = ["Neither gunicorn nor uvicorn is among the dependencies: Django's development server is used."];
  return { ...base, args: ['manage.py', 'runserver', '--noreload', '0.0.0.0:$PORT'], notices };
}

function startAsgi(app: PythonApp, names: ReadonlySet<string>): PythonStart {
  const target = `${app.module}:${app.variable}`;
  const framework = {
    fastapi: 'FastAPI',
    starlette: 'Starlette',
    litestar: 'Litestar',
    quart: 'Quart',
    flask: 'Flask',
  }[app.framework];
  if (!hasUvicorn(names) && names.has('hypercorn') && !app.isFactory && app.folder === '.') {
    return { framework, args: ['-m', 'hypercorn', '--bind', '0.0.0.0:$PORT', target], extra: [], notices: [] };
  }
  const folder = app.folder === '.' ? [] : ['--app-dir', app.folder];
  const factory = app.isFactory ? ['--factory'] : [];
  const args = ['-m', 'uvicorn', ...folder, ...factory, target, ...ADDRESS];
  if (hasUvicorn(names)) return { framework, args, extra: [], notices: [] };
  const notice = 'No ASGI server is among the dependencies: uvicorn is added to serve the application.';
  return { framework, args, extra: ['uvicorn'], notices: [notice] };
}

function startWsgi(app: PythonApp, names: ReadonlySet<string>): PythonStart {
  const framework = 'Flask';
  const call = app.isFactory ? `${app.variable}()` : app.variable;
  if (names.has('gunicorn')) {
    const folder = app.folder === '.' ? [] : ['--chdir', app.folder];
    return { framework, args: [...GUNICORN, ...folder, `${app.module}:${call}`], extra: [], notices: [] };
  }
  if (names.has('waitress') && app.folder === '.') {
    const factory = app.isFactory ? ['--call'] : [];
    const args = ['-m', 'waitress', '--host=0.0.0.0', '--port=$PORT', ...factory, `${app.module}:${app.variable}`];
    return { framework, args, extra: [], notices: [] };
  }
  const path = app.folder === '.' ? app.module : `${app.folder}/${app.module.replaceAll('.', '/')}`;
  const args = ['-m', 'flask', '--app', `${path}:${call}`, 'run', ...ADDRESS];
  const notices = [
    "No WSGI server (gunicorn, waitress) is among the dependencies: Flask's development server is used.",
  ];
  return { framework, args, extra: [], notices };
}

async function findScript(
  files: ProjectFiles,
  names: ReadonlySet<string>,
  isDeclared: boolean,
): Promise<PythonStart | undefined> {
  for (const path of MAIN_FILES) {
    if (!isDeclared && path.includes('/')) continue;
    const text = await files.readText(path);
    if (text === undefined) continue;
    const base = { extra: [], notices: [] };
    if (names.has('streamlit') && /^[ \t]*(import|from) streamlit\b/m.test(text)) {
      const address = ['--server.address', '0.0.0.0', '--server.port', '$PORT', '--server.headless', 'true'];
      return { ...base, framework: 'Streamlit', args: ['-m', 'streamlit', 'run', path, ...address] };
    }
    if (names.has('gradio')) {
      const env = ['GRADIO_SERVER_NAME=0.0.0.0', 'GRADIO_SERVER_PORT=$PORT'];
      return { ...base, framework: 'Gradio', args: [path], env };
    }
    return { ...base, framework: null, args: [path] };
  }
  return (await files.kindOf('__main__.py')) === 'file'
    ? { framework: null, args: ['.'], extra: [], notices: [] }
    : undefined;
}

/** Uvicorn is what these extras are mostly for. Source: their pyproject.toml on PyPI. */
function hasUvicorn(names: ReadonlySet<string>): boolean {
  return ['uvicorn', 'fastapi[standard]', 'fastapi[all]', 'litestar[standard]'].some((name) => names.has(name));
}

/** The command of a start, run by `python`. */
export function toPythonCommand({ args, env }: PythonStart, python: string): Command {
  const argv = [...(env === undefined ? [] : ['/usr/bin/env', ...env]), python, ...args];
  // People read `uvicorn main:app`, not which interpreter runs it.
  const title = (args[0] === '-m' ? args.slice(1) : ['python', ...args]).join(' ');
  return { title, argv };
}
