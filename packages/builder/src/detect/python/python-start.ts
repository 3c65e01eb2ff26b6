import type { Command } from '../../plan/command.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { findPythonApp, type PythonApp } from './find-python-app.ts';

/** The start command of a Python project. */
export interface PythonStart {
  /** Name of the framework for the title, e.g. `FastAPI`. */
  readonly framework: string | null;
  /** Arguments of the interpreter, as elements for `expandCommand`. */
  readonly args: readonly string[];
  /** Variables that must be set on the command line. */
  readonly env?: readonly string[];
  /** Packages to install in addition to the project's dependencies. */
  readonly extra: readonly string[];
  readonly buildSteps?: readonly (readonly string[])[];
  readonly notices: readonly string[];
}

const ADDRESS = ['--host', '0.0.0.0', '--port', '$PORT'];
/**
 * Arguments of gunicorn. By default gunicorn handles one request at a time per worker, so threads are added;
 * `WEB_CONCURRENCY` sets the workers. It also closes idle connections after 2 s by default, while the gateway still
 * uses these.
 */
const GUNICORN_THREADS = ['--worker-class', 'gthread', '--threads', '$WEB_THREADS', '--keep-alive', '75'];
/** Plain programs, in order of preference. */
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
 * Finds the application and a server for it; returns undefined if there is nothing to start. If no file declares a
 * Python project, only the root is searched: a subfolder may contain a separate project.
 */
export async function findPythonStart(
  files: ProjectFiles,
  names: ReadonlySet<string>,
  isDeclared: boolean,
): Promise<PythonStart | undefined> {
  const django = await findDjango(files, names);
  if (django) return django;
  const app = await findPythonApp(files, isDeclared ? 3 : 1);
  if (app) return app.protocol === 'asgi' ? startAsgi(app, names) : startWsgi(app, names, files);
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
    // WhiteNoise serves the collected files; without it nothing would.
    ...(names.has('whitenoise') ? { buildSteps: [['manage.py', 'collectstatic', '--noinput']] } : {}),
  };
  if (names.has('gunicorn') && (await has('wsgi')))
    return { ...base, args: [...(await gunicorn(files)), `${project}.wsgi:application`] };
  if (hasUvicorn(names) && (await has('asgi'))) {
    return { ...base, args: ['-m', 'uvicorn', `${project}.asgi:application`, ...ADDRESS] };
  }
  const notices = ["Neither gunicorn nor uvicorn is a dependency: using Django's development server."];
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
    const args = ['-m', 'hypercorn', '--bind', '0.0.0.0:$PORT', '--workers', '$WEB_CONCURRENCY', target];
    return { framework, args, extra: [], notices: [] };
  }
  const folder = app.folder === '.' ? [] : ['--app-dir', app.folder];
  const factory = app.isFactory ? ['--factory'] : [];
  const args = ['-m', 'uvicorn', ...folder, ...factory, target, ...ADDRESS];
  if (hasUvicorn(names)) return { framework, args, extra: [], notices: [] };
  const notice = 'No ASGI server is a dependency: adding uvicorn.';
  return { framework, args, extra: ['uvicorn'], notices: [notice] };
}

async function startWsgi(app: PythonApp, names: ReadonlySet<string>, files: ProjectFiles): Promise<PythonStart> {
  const framework = 'Flask';
  const call = app.isFactory ? `${app.variable}()` : app.variable;
  if (names.has('gunicorn')) {
    const folder = app.folder === '.' ? [] : ['--chdir', app.folder];
    return {
      framework,
      args: [...(await gunicorn(files)), ...folder, `${app.module}:${call}`],
      extra: [],
      notices: [],
    };
  }
  if (names.has('waitress') && app.folder === '.') {
    const factory = app.isFactory ? ['--call'] : [];
    const address = ['--host=0.0.0.0', '--port=$PORT', '--threads=$WEB_THREADS'];
    const args = ['-m', 'waitress', ...address, ...factory, `${app.module}:${app.variable}`];
    return { framework, args, extra: [], notices: [] };
  }
  const path = app.folder === '.' ? app.module : `${app.folder}/${app.module.replaceAll('.', '/')}`;
  const args = ['-m', 'flask', '--app', `${path}:${call}`, 'run', ...ADDRESS];
  const notices = ["No WSGI server (gunicorn, waitress) is a dependency: using Flask's development server."];
  return { framework, args, extra: [], notices };
}

/**
 * Returns the arguments of gunicorn. gunicorn reads a project's own `gunicorn.conf.py` itself, and its settings are
 * kept.
 */
async function gunicorn(files: ProjectFiles): Promise<readonly string[]> {
  const hasOwn = (await files.kindOf('gunicorn.conf.py')) === 'file';
  return ['-m', 'gunicorn', '--bind', '0.0.0.0:$PORT', ...(hasOwn ? [] : GUNICORN_THREADS)];
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

/** Reports whether uvicorn is a dependency, directly or through extras. Source: their pyproject.toml on PyPI. */
function hasUvicorn(names: ReadonlySet<string>): boolean {
  return ['uvicorn', 'fastapi[standard]', 'fastapi[all]', 'litestar[standard]'].some((name) => names.has(name));
}

/** Returns the command of a start, run by `python`. */
export function toPythonCommand({ args, env }: PythonStart, python: string): Command {
  const argv = [...(env === undefined ? [] : ['/usr/bin/env', ...env]), python, ...args];
  // The title shows `uvicorn main:app` without the interpreter.
  const title = (args[0] === '-m' ? args.slice(1) : ['python', ...args]).join(' ');
  return { title, argv };
}
