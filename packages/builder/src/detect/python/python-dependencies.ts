import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { filterFiles, type ProjectFiles } from '../../plan/project-files.ts';
import { readData } from '../../plan/read-data.ts';
import type { DeclaredPython } from './python-version.ts';
import { normalizeName, parseRequirements, requirementNames } from './requirements.ts';

/** The dependencies of a Python project, and the file that declares them. */
export interface PythonDependencies {
  /** The file or tool that determines the dependencies; null if there are none. */
  readonly source: 'uv.lock' | 'requirements.txt' | 'pyproject.toml' | 'poetry' | 'pdm' | 'pipenv' | null;
  /** True if a lock file fixes every version. */
  readonly isLocked: boolean;
  /** True if some locked packages have no hash because they come from a repository or a folder. */
  readonly hasUnhashed: boolean;
  /** Existing lock files that are ignored. */
  readonly unread: readonly string[];
  /** The Python version that the project's own file requests. */
  readonly python: DeclaredPython | undefined;
  /** True if a file declares the tree to be a Python project. */
  readonly isProject: boolean;
  /** Names normalized as by {@link requirementNames}; with a lock file, those of the whole dependency graph. */
  readonly names: ReadonlySet<string>;
  /** `project.dependencies` of pyproject.toml; null if missing or only known by building. */
  readonly requirements: readonly string[] | null;
  /** True if the project itself is a package that must be installed. */
  readonly isPackage: boolean;
  /** True if the project depends on other folders of the source tree. */
  readonly hasLocalSources: boolean;
  /** Files that determine the installed packages. */
  readonly files: readonly string[];
  /** Names of the programs in `project.scripts`. */
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

/** Lock files of uv, Poetry and PDM. */
const lockSchema = z.looseObject({ package: z.array(z.looseObject({ name: z.string() })).default([]) });
const pipfileSchema = z.looseObject({
  packages: z.record(z.string(), z.unknown()).default({}),
  requires: z
    .looseObject({ python_version: z.string().optional(), python_full_version: z.string().optional() })
    .default({}),
});
const pipfileLockSchema = z.looseObject({ default: z.record(z.string(), z.unknown()).default({}) });

/** Maximum number of requirements files followed through includes. */
const MAX_INCLUDES = 20;
/** Files that declare packages, in order of precedence. */
const SOURCES = ['uv.lock', 'poetry.lock', 'pdm.lock', 'Pipfile.lock', 'Pipfile', 'requirements.txt'];

/**
 * Reads the dependencies of a project. @throws BerthError `build_failed` if pyproject.toml, Pipfile or a lock file is
 * invalid.
 */
export async function readPythonDependencies(files: ProjectFiles): Promise<PythonDependencies> {
  const pyproject = readToml('pyproject.toml', await files.readText('pyproject.toml'), pyprojectSchema);
  const { project, tool } = pyproject ?? {};
  const present = await filterFiles(files, SOURCES);
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
      // Dependencies in the tree have an entry with a path.
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
    // requirements.txt is complete, whatever else pyproject.toml configures.
    return { ...base, ...listed, isPackage: false, source: isEmpty ? null : 'requirements.txt' };
  }

  // Only Poetry reads its own table of dependencies; pip does so only by building the package.
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

/**
 * Reports whether the project is a package that must be installed. Applications often keep the build system of their
 * template.
 */
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

/** Reports whether a table of dependencies refers to folders of the source tree. */
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
