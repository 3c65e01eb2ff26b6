import { createError } from '@berth/contract';
import { z } from 'zod';

const versions = z.record(z.string(), z.string()).default({});

const packageJsonSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  main: z.string().optional(),
  packageManager: z.string().optional(),
  // Fields of tools hold what they like; only these texts are asked for.
  engines: z.looseObject({ node: z.string().optional() }).catch({}).default({}),
  volta: z.looseObject({ node: z.string().optional() }).optional().catch(undefined),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  workspaces: z.unknown().optional(),
});

/** The parts of a package.json that a plan needs. */
export type PackageJson = z.infer<typeof packageJsonSchema>;

/** @throws BerthError `build_failed` when it is not JSON or has fields of another form than npm takes. */
export function parsePackageJson(source: string): PackageJson {
  let json: unknown;
  try {
    json = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch (error) {
    throw createError('build_failed', `package.json is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const parsed = packageJsonSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw createError('build_failed', `package.json is wrong: ${faults.join('; ')}.`);
}

/** Names of all it depends on, for building as well as for running. */
export function dependencyNames(manifest: PackageJson): ReadonlySet<string> {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return new Set([dependencies, devDependencies, optionalDependencies].flatMap((each) => Object.keys(each)));
}

/** Scripts that npm runs on installing. Source: https://docs.npmjs.com/cli/v11/using-npm/scripts, "npm ci". */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** True when installing runs code of the project itself, beside fetching packages. Git hooks do not count: there is no repository. */
export function hasInstallScripts({ scripts }: PackageJson): boolean {
  return LIFECYCLE.some(
    (name) => scripts[name] !== undefined && !/^\s*(husky|lefthook|simple-git-hooks)\b/.test(scripts[name]),
  );
}

/** What a project depends on in its own source tree. */
export interface LocalDependencies {
  /** True when folders of the tree are among it. */
  readonly hasFolders: boolean;
  /** Packed packages, relative to the project: as good as a lock file, they are what they are. */
  readonly tarballs: readonly string[];
}

export function findLocalDependencies(manifest: PackageJson): LocalDependencies {
  const { dependencies, devDependencies, optionalDependencies, workspaces } = manifest;
  const wanted = [dependencies, devDependencies, optionalDependencies].flatMap((each) => Object.values(each));
  const local = wanted.filter((version) => /^(file|link|portal|workspace):/.test(version));
  const tarballs = local.map((version) => TARBALL.exec(version)?.[1]).filter((path) => path !== undefined);
  return { hasFolders: workspaces !== undefined || tarballs.length < local.length, tarballs };
}

/** In the project itself: a path with `..` is none of these. */
const TARBALL = /^file:(?:\.\/)?((?:[\w@+-][\w.@+-]*\/)*[\w@+-][\w.@+-]*\.(?:tgz|tar\.gz))$/;
