import { createError } from '@berth/contract';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import type { ProjectFiles } from '../project-files.ts';
import { normalizeName, parseRequirements, requirementNames } from './requirements.ts';

/** What a Python project depends on, and which file says so. */
export interface PythonDependencies {
  /** Null: none of them is there, or what is there asks for nothing. */
  readonly source: 'uv.lock' | 'requirements.txt' | 'pyproject.toml' | null;
  /** A file that makes it a Python project is there. */
  readonly isProject: boolean;
  /** Normalised names as of {@link requirementNames}; with uv.lock those of its whole graph. */
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
      dependencies: z.array(z.string()).optional(),
      dynamic: z.array(z.string()).default([]),
      scripts: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
  'build-system': z.unknown().optional(),
  tool: z
    .looseObject({
      uv: z
        .looseObject({ sources: z.record(z.string(), z.unknown()).default({}), workspace: z.unknown().optional() })
        .optional(),
      poetry: z.looseObject({ dependencies: z.record(z.string(), z.unknown()).default({}) }).optional(),
    })
    .optional(),
});

const lockSchema = z.looseObject({ package: z.array(z.looseObject({ name: z.string() })).default([]) });

/** Files included by others are followed this deep. */
const MAX_INCLUDES = 20;

/** @throws BerthError `build_failed` when pyproject.toml or uv.lock is not what it should be. */
export async function readPythonDependencies(files: ProjectFiles): Promise<PythonDependencies> {
  const pyproject = readToml('pyproject.toml', await files.readText('pyproject.toml'), pyprojectSchema);
  const lock = readToml('uv.lock', await files.readText('uv.lock'), lockSchema);
  const isPackage = pyproject?.['build-system'] !== undefined;
  const { project, tool } = pyproject ?? {};
  const requirements = project?.dynamic.includes('dependencies') ? null : (project?.dependencies ?? null);
  const ofUv = [...Object.values(tool?.uv?.sources ?? {}), tool?.uv?.workspace];
  const base = {
    requirements,
    isPackage,
    scripts: Object.keys(project?.scripts ?? {}),
    isProject: pyproject !== undefined || lock !== undefined,
  };

  if (lock !== undefined && pyproject !== undefined) {
    const names = new Set(lock.package.map(({ name }) => normalizeName(name)));
    return {
      ...base,
      source: 'uv.lock',
      names,
      hasLocalSources: ofUv.some((source) => /"(path|workspace|members)"/.test(JSON.stringify(source) ?? '')),
      files: ['uv.lock', 'pyproject.toml', '.python-version'],
    };
  }

  const listed = await readRequirementFiles(files);
  if (listed !== undefined) {
    const isEmpty = listed.names.size === 0 && !listed.hasLocalSources && listed.files.length === 1;
    // What requirements.txt lists is the whole of it, whatever pyproject.toml configures besides.
    return { ...base, ...listed, isProject: true, isPackage: false, source: isEmpty ? null : 'requirements.txt' };
  }

  const poetry = Object.keys(tool?.poetry?.dependencies ?? {}).filter((name) => name !== 'python');
  const names = new Set([...(requirements ?? []).flatMap(requirementNames), ...poetry.map(normalizeName)]);
  return {
    ...base,
    source: names.size > 0 || isPackage ? 'pyproject.toml' : null,
    names,
    hasLocalSources: (requirements ?? []).some((each) => /@\s*file:/.test(each)),
    files: ['pyproject.toml'],
  };
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
  if (text === undefined) return undefined;
  let toml: unknown;
  try {
    toml = parseToml(text);
  } catch (error) {
    throw createError('build_failed', `${name} is not TOML: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = schema.safeParse(toml);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw createError('build_failed', `${name} is wrong: ${faults.join('; ')}.`);
}
