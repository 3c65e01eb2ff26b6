import { createError } from '@berth/contract';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import type { ProjectFiles } from '../../plan/project-files.ts';
import type { DeclaredPython } from './python-version.ts';
import { normalizeName, parseRequirements, requirementNames } from './requirements.ts';

/** What a Python project depends on, and which file says so. */
export interface PythonDependencies {
  /** Null: none of them is there, or what is there asks for nothing. */
  readonly source: 'uv.lock' | 'requirements.txt' | 'pyproject.toml' | 'poetry' | 'pdm' | 'pipenv' | null;
  /** A lock file fixes every version. */
  readonly isLocked: boolean;
  /** Some of what is locked has no hash: it comes from a repository or a folder. */
  readonly hasUnhashed: boolean;
  /** Lock files that are there and don't count. */
  readonly unread: readonly string[];
  /** What the project's own file says of its Python. */
  readonly python: DeclaredPython | undefined;
  /** A file that makes it a Python project is there. */
  readonly isProject: boolean;
  /** Normalised names as of {@link requirementNames}; with a lock file those of its whole graph. */
  readonly names: ReadonlySet<string>;
  /** `project.dependencies` of pyproject.toml; null when it is not there or only known by building. */
  readonly requirements: readonly string[] | null;
  /** The project is a package itself and has to be installed too. */
  readonly isPackage: boolean;
  /** It depends on other folders of the source tree. */
  readonly hasLocalSources: boolean;
  /** Files that decide what is installed. */
  readonly files: readonly string[];
  /** Programs of `project.scripts`. */
  readonly scripts: readonly string[];
}

const pyprojectSchema = z.looseObject({
  project: z
    .looseObject({
      name: z.string().optional(),
      dependencies: z.array(z.string()).optional(),
      dynamic: z.array(z.string()).default([]),
      scripts: z.record(z.string(), z.string()).default({}),
      'requires-python': z.string().optional(),
    })
    .optional(),
  'build-system': z.unknown().optional(),
  tool: z
    .looseObject({
      uv: z
        .looseObject({ sources: z.record(z.string(), z.unknown()).default({}), workspace: z.unknown().optional() })
        .optional(),
      poetry: z
        .looseObject({
          name: z.string().optional(),
          dependencies: z.record(z.string(), z.unknown()).default({}),
          packages: z.unknown().optional(),
          scripts: z.record(z.string(), z.unknown()).default({}),
          'package-mode': z.boolean().default(true),
        })
        .optional(),
      pdm: z.looseObject({ distribution: z.boolean().optional() }).optional(),
    })
    .optional(),
});
type Pyproject = z.infer<typeof pyprojectSchema>;

/** Of uv, Poetry and PDM alike. */
const lockSchema = z.looseObject({ package: z.array(z.looseObject({ name: z.string() })).default([]) });
const pipfileSchema = z.looseObject({
  packages: z.record(z.string(), z.unknown()).default({}),
  requires: z
    .looseObject({ python_version: z.string().optional(), python_full_version: z.string().optional() })
    .default({}),
});
const pipfileLockSchema = z.looseObject({ default: z.record(z.string(), z.unknown()).default({}) });

/** Files included by others are followed this deep. */
const MAX_INCLUDES = 20;
/** Files that say what is installed, in the order they are believed. */
const SOURCES = ['uv.lock', 'poetry.lock', 'pdm.lock', 'Pipfile.lock', 'Pipfile', 'requirements.txt'];

/** @throws BerthError `build_failed` when pyproject.toml, Pipfile or a lock file is not what it should be. */
export async function readPythonDependencies(files: ProjectFiles): Promise<PythonDependencies> {
  const pyproject = readToml('pyproject.toml', await files.readText('pyproject.toml'), pyprojectSchema);
  const { project, tool } = pyproject ?? {};
  const present: string[] = [];
  for (const name of SOURCES) if ((await files.kindOf(name)) === 'file') present.push(name);
  const base = {
    requirements: project?.dynamic.includes('dependencies') ? null : (project?.dependencies ?? null),
    isPackage: await isInstallable(files, pyproject),
    scripts: Object.keys(project?.scripts ?? {}),
    isProject: pyproject !== undefined || present.length > 0,
    isLocked: false,
    hasUnhashed: false,
    hasLocalSources: false,
    unread: [] as string[],
    python: declaredPython(pyproject),
  };
  const locked = async (source: 'uv.lock' | 'poetry' | 'pdm', name: string) => {
    const text = await files.readText(name);
    const lock = readToml(name, text, lockSchema);
    const names = new Set((lock?.package ?? []).map((each) => normalizeName(each.name)));
    const own = source === 'poetry' ? (pyproject?.tool?.poetry?.dependencies ?? {}) : {};
    return {
      ...base,
      source,
      names: new Set([...names, ...Object.keys(own).map(normalizeName)]),
      isLocked: lock !== undefined,
      hasUnhashed: /^(type = "(git|directory|file|url)"|(git|path|url) = )/m.test(text ?? ''),
      // What lies in the tree itself has an entry with a path.
      hasLocalSources: ofTree(source === 'uv.lock' ? tool?.uv : (lock?.package ?? own)),
      files: [name, 'pyproject.toml', '.python-version'],
      unread: present.filter((each) => each !== name),
    };
  };

  if (pyproject !== undefined && present.includes('uv.lock')) return locked('uv.lock', 'uv.lock');
  if (pyproject !== undefined && present.includes('poetry.lock')) return locked('poetry', 'poetry.lock');
  if (pyproject !== undefined && present.includes('pdm.lock')) return locked('pdm', 'pdm.lock');
  if (present.includes('Pipfile')) return { ...base, ...(await readPipfile(files, present)) };

  const listed = await readRequirementFiles(files);
  if (listed !== undefined) {
    const isEmpty = listed.names.size === 0 && !listed.hasLocalSources && listed.files.length === 1;
    // What requirements.txt lists is the whole of it, whatever pyproject.toml configures besides.
    return { ...base, ...listed, isPackage: false, source: isEmpty ? null : 'requirements.txt' };
  }

  // Only Poetry itself reads its table of dependencies; pip has it read by building the package.
  if (tool?.poetry && !base.isPackage && Object.keys(tool.poetry.dependencies).some((name) => name !== 'python')) {
    return locked('poetry', 'poetry.lock');
  }
  const poetry = Object.keys(tool?.poetry?.dependencies ?? {}).filter((name) => name !== 'python');
  const names = new Set([...(base.requirements ?? []).flatMap(requirementNames), ...poetry.map(normalizeName)]);
  return {
    ...base,
    source: names.size > 0 || base.isPackage ? 'pyproject.toml' : null,
    names,
    hasLocalSources: (base.requirements ?? []).some((each) => /@\s*file:/.test(each)),
    files: ['pyproject.toml'],
  };
}

async function readPipfile(files: ProjectFiles, present: readonly string[]) {
  const pipfile = readToml('Pipfile', await files.readText('Pipfile'), pipfileSchema);
  const lock = await files.readText('Pipfile.lock');
  const locked =
    lock === undefined ? undefined : readData('Pipfile.lock', 'JSON', () => JSON.parse(lock), pipfileLockSchema);
  const { packages = {}, requires = {} } = pipfile ?? {};
  const text = requires.python_full_version ?? requires.python_version;
  return {
    source: 'pipenv' as const,
    isLocked: locked !== undefined,
    isPackage: false,
    names: new Set(Object.keys(locked?.default ?? packages).map(normalizeName)),
    hasLocalSources: ofTree(packages),
    files: [...(locked === undefined ? [] : ['Pipfile.lock']), 'Pipfile', '.python-version'],
    unread: present.filter((each) => !each.startsWith('Pipfile')),
    ...(text === undefined ? {} : { python: { text, source: '"requires" of Pipfile' } }),
  };
}

function declaredPython(pyproject: Pyproject | undefined): DeclaredPython | undefined {
  const text = pyproject?.project?.['requires-python'];
  if (text !== undefined) return { text, source: '"requires-python" of pyproject.toml' };
  const poetry = pyproject?.tool?.poetry?.dependencies['python'];
  return typeof poetry === 'string' ? { text: poetry, source: '"python" of pyproject.toml' } : undefined;
}

/** Whether the project is a package that has to be installed too. Applications often keep the build system of their template. */
async function isInstallable(files: ProjectFiles, pyproject: Pyproject | undefined): Promise<boolean> {
  const { project, tool } = pyproject ?? {};
  if (pyproject?.['build-system'] === undefined || tool?.pdm?.distribution === false) return false;
  if (tool?.poetry === undefined) return true;
  const { poetry } = tool;
  if (!poetry['package-mode']) return false;
  if (poetry.packages !== undefined) return true;
  const name = (project?.name ?? poetry.name ?? '').replaceAll(/[-.]/g, '_').toLowerCase();
  if (name === '') return false;
  for (const path of [name, `src/${name}`]) if ((await files.kindOf(path)) === 'folder') return true;
  return (await files.kindOf(`${name}.py`)) === 'file';
}

/** Whether a table of dependencies names folders of the source tree. */
function ofTree(table: unknown): boolean {
  return /"(path|workspace|members|directory|editable)"\s*:|"type":"(directory|file)"/.test(
    JSON.stringify(table) ?? '',
  );
}

async function readRequirementFiles(files: ProjectFiles) {
  const names = new Set<string>();
  const read: string[] = [];
  let hasLocalSources = false;
  const waiting = ['requirements.txt'];
  for (let path = waiting.shift(); path !== undefined && read.length < MAX_INCLUDES; path = waiting.shift()) {
    const text = path.startsWith('/') || path.includes('..') ? undefined : await files.readText(path);
    if (text === undefined || read.includes(path)) continue;
    read.push(path);
    const requirements = parseRequirements(text);
    for (const name of requirements.names) names.add(name);
    hasLocalSources ||= requirements.hasLocalSources;
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
    waiting.push(...requirements.includes.map((include) => folder + include.replace(/^\.\//, '')));
  }
  return read.length === 0 ? undefined : { names, hasLocalSources, files: read };
}

function readToml<Schema extends z.ZodType>(name: string, text: string | undefined, schema: Schema) {
  return text === undefined ? undefined : readData(name, 'TOML', () => parseToml(text), schema);
}

function readData<Schema extends z.ZodType>(name: string, form: string, parse: () => unknown, schema: Schema) {
  let data: unknown;
  try {
    data = parse();
  } catch (error) {
    throw createError('build_failed', `${name} is not ${form}: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw createError('build_failed', `${name} is wrong: ${faults.join('; ')}.`);
}
