import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import { satisfies, validRange } from 'semver';
import { createFolderFiles } from '../plan/project-files.ts';

/** A packed npm library. */
export interface PackedLibrary {
  /** Absolute path of the tarball. */
  readonly file: string;
  readonly version: string;
  /** Its published `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/**
 * A library that the platform's own registry has. Builds can't reach the platform, so it is put into the projects that depend on
 * it.
 */
export interface SuppliedLibrary {
  /** Name on the registry, with a scope, e.g. `@berth/agent`. */
  readonly name: string;
  /** Returns the library. Called for a build that needs it. */
  load(): Promise<PackedLibrary>;
}

/** The folder of a project that the library is put into. */
const FOLDER = '.berth-library';
const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json'];
/** Lock files of package managers whose locks aren't adapted. */
const OTHER_LOCKS = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

type Json = Record<string, unknown>;

/**
 * Puts the library into a project that installs it from a platform's registry: `.npmrc` names a registry at `/npm/` for its scope.
 * The project's `package.json` and npm lock file then name the tarball. Changes nothing in other projects.
 * @returns true for a project that got the library
 * @throws BerthError `build_failed` when the project asks for another version, or has a lock file that isn't npm's
 */
export async function supplyLibrary(
  folder: string,
  library: SuppliedLibrary,
  say: (line: string) => Promise<void>,
): Promise<boolean> {
  const { name } = library;
  const files = createFolderFiles(folder);
  const project = parseObject(await files.readText('package.json'));
  const dependencies = objectOf(project?.['dependencies']);
  const wanted = dependencies[name];
  const npmrc = await files.readText('.npmrc');
  if (!project || typeof wanted !== 'string' || npmrc === undefined || !usesPlatform(npmrc, name)) return false;
  const range = wanted === 'latest' ? '*' : validRange(wanted);
  if (range === null) return false;
  const other = (await Promise.all(OTHER_LOCKS.map(async (file) => ((await files.kindOf(file)) ? file : '')))).find(
    Boolean,
  );
  if (other) {
    throw failed(
      `${name} is supplied to projects with a package-lock.json or no lock file, not with ${other}. Add the library to the project instead: berth init --vendor shows how, in a new folder.`,
    );
  }
  const { file, version, manifest } = await library.load();
  if (!satisfies(version, range)) {
    throw failed(
      `package.json requires ${name} ${wanted}, and this platform has ${version}. Run: npm install ${name}@${version}`,
    );
  }
  const base = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  // A folder that exists could be a link of the tenant's.
  await mkdir(join(folder, FOLDER)).catch((cause: unknown) => {
    throw createError(
      'build_failed',
      `The name ${FOLDER} is reserved; the project has a file or folder of that name.`,
      { cause },
    );
  });
  await copyFile(file, join(folder, FOLDER, base));
  const spec = `file:${FOLDER}/${base}`;
  await replace(folder, 'package.json', { ...project, dependencies: { ...dependencies, [name]: spec } });
  for (const lock of LOCKS) {
    const content = parseObject(await files.readText(lock));
    if (content) await replace(folder, lock, adaptLock(content, { name, version, spec, manifest }));
  }
  await say(`Supplying ${name} ${version} from the platform`);
  return true;
}

/** Reports whether `.npmrc` names a platform's registry for the scope of `name`. Source: npm's documentation, "scope". */
function usesPlatform(npmrc: string, name: string): boolean {
  const scope = name.slice(0, name.indexOf('/'));
  const lines = npmrc.split(/\r?\n/).map((line) => line.trim());
  const value = lines
    .find((line) => line.replace(/\s/g, '').startsWith(`${scope}:registry=`))
    ?.replace(/^[^=]*=\s*/, '');
  return /\/npm\/?$/.test(URL.parse(value ?? '')?.pathname ?? '');
}

interface Supplied {
  readonly name: string;
  readonly version: string;
  readonly spec: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Returns an npm lock file, version 2 or 3, in which the library is the tarball. Source: npm's documentation, "package-lock.json". */
function adaptLock(lock: Json, { name, version, spec, manifest }: Supplied): Json {
  const packages = objectOf(lock['packages']);
  const root = objectOf(packages['']);
  const { license, dependencies, engines, peerDependencies, peerDependenciesMeta } = manifest;
  const entry = { version, resolved: spec, license, dependencies, engines, peerDependencies, peerDependenciesMeta };
  const { dependencies: _old, ...others } = lock;
  return {
    ...others,
    packages: {
      ...packages,
      '': { ...root, dependencies: { ...objectOf(root['dependencies']), [name]: spec } },
      [`node_modules/${name}`]: entry,
    },
  };
}

/** Replaces a file by a new one, so that nothing is written through a link. */
async function replace(folder: string, name: string, content: Json): Promise<void> {
  const temporary = join(folder, FOLDER, name);
  await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx' });
  await rename(temporary, join(folder, name));
}

/** Returns the object of a JSON text; undefined for any other text. */
export function parseObject(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    // The install step explains what is wrong.
    return undefined;
  }
}

/** Returns a value if it is an object, else an empty one. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function failed(message: string): Error {
  return createError('build_failed', message);
}
