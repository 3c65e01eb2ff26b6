import type { ProjectFiles } from '../../plan/project-files.ts';

/** An application object in a source file, as servers import it. */
export interface PythonApp {
  readonly framework: 'fastapi' | 'starlette' | 'litestar' | 'quart' | 'flask';
  readonly protocol: 'asgi' | 'wsgi';
  /** Folder that must be on the import path; usually `.`. */
  readonly folder: string;
  /** Module path, e.g. `app.main`. */
  readonly module: string;
  /** Variable or function, e.g. `app`. */
  readonly variable: string;
  /** True if `variable` is a function that returns the application. */
  readonly isFactory: boolean;
}

const CLASSES = {
  FastAPI: ['fastapi', 'asgi'],
  Starlette: ['starlette', 'asgi'],
  Litestar: ['litestar', 'asgi'],
  Quart: ['quart', 'asgi'],
  Flask: ['flask', 'wsgi'],
} as const;

const OBJECT = /^(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart|Flask)\(/m;
const FACTORY = /^def ((?:create|make|get|build)_app\w*)\(/;
const CALL = /\b(FastAPI|Starlette|Litestar|Quart|Flask)\(/;

/** Names of main files, in order of preference. */
const NAMES = ['main', 'app', 'server', 'api', 'asgi', 'wsgi', 'application', 'index', 'run', '__init__'];
const SKIPPED = /^(\..*|tests?|docs?|examples?|scripts|migrations|node_modules|venv|env|__pycache__|build|dist)$/;
/** Maximum size of a source file in bytes. Larger files are generated. */
const SOURCE_BYTES = 262_144;
const MAX_FILES = 300;

/**
 * Finds the application of a web project: the one nearest to the root, in the file with the most significant name. A
 * depth of 1 is the root alone.
 */
export async function findPythonApp(files: ProjectFiles, maxDepth: number): Promise<PythonApp | undefined> {
  for (const path of await listSources(files, maxDepth)) {
    const text = await files.readText(path, { skipOverBytes: SOURCE_BYTES });
    const made = text === undefined ? undefined : (findObject(text) ?? findFactory(text));
    if (text === undefined || made === undefined) continue;
    const [framework, protocol] = CLASSES[made.type as keyof typeof CLASSES];
    const { variable, isFactory } = made;
    return { framework, protocol, variable, isFactory, ...(await importOf(files, path, text)) };
  }
  return undefined;
}

function findObject(text: string) {
  const [, variable, type] = OBJECT.exec(text) ?? [];
  return variable === undefined || type === undefined ? undefined : { variable, type, isFactory: false };
}

/** Finds a function such as `create_app` that creates the application in its body. */
function findFactory(text: string) {
  let variable: string | undefined;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) variable = FACTORY.exec(line)?.[1];
    const type = variable === undefined ? undefined : CALL.exec(line)?.[1];
    if (variable !== undefined && type !== undefined) return { variable, type, isFactory: true };
  }
  return undefined;
}

/** Lists Python files by depth, and then by the significance of their names. */
async function listSources(files: ProjectFiles, maxDepth: number): Promise<string[]> {
  const found: string[] = [];
  let folders = [''];
  for (let depth = 0; depth < maxDepth && found.length < MAX_FILES; depth++) {
    const deeper: string[] = [];
    const here: string[] = [];
    for (const folder of folders) {
      for (const name of await files.list(folder === '' ? '.' : folder.slice(0, -1))) {
        if (name.endsWith('/') && !SKIPPED.test(name.slice(0, -1))) deeper.push(folder + name);
        else if (name.endsWith('.py')) here.push(folder + name);
      }
    }
    const rank = (path: string) => {
      const at = NAMES.indexOf(path.slice(path.lastIndexOf('/') + 1, -3));
      return at < 0 ? NAMES.length : at;
    };
    found.push(...here.sort((a, b) => rank(a) - rank(b)));
    folders = deeper.slice(0, MAX_FILES);
  }
  return found.slice(0, MAX_FILES);
}

/**
 * Returns the import path of a file: as part of the packages around it, or from its own folder if these aren't
 * packages.
 */
async function importOf(files: ProjectFiles, path: string, text: string) {
  const parts = path.replace(/\.py$/, '').split('/');
  if (parts.at(-1) === '__init__') parts.pop();
  let first = parts.length - 1;
  while (first > 0) {
    const folder = parts.slice(0, first).join('/');
    const name = parts[first - 1] ?? '';
    const isPackage = (await files.kindOf(`${folder}/__init__.py`)) === 'file';
    const imported = new RegExp(`^[ \\t]*(from|import) ${name.replaceAll(/\W/g, '')}\\b`, 'm').test(text);
    const isRelative = first === parts.length - 1 && /^[ \t]*from \./m.test(text);
    if (!isPackage && !imported && !isRelative) break;
    first--;
  }
  return { folder: parts.slice(0, first).join('/') || '.', module: parts.slice(first).join('.') };
}
