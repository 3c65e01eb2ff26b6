import { z } from 'zod';
import type { Programs } from '../../plan/programs.ts';
import type { ProjectFiles } from '../../plan/project-files.ts';
import { readData } from '../../plan/read-data.ts';

const versions = z.record(z.string(), z.string()).default({});

const packageJsonSchema = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  main: z.string().optional(),
  packageManager: z.string().optional(),
  // Tools put arbitrary values in these fields; only the texts below are needed.
  engines: z.looseObject({ node: z.string().optional() }).catch({}).default({}),
  volta: z.looseObject({ node: z.string().optional() }).optional().catch(undefined),
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  workspaces: z.unknown().optional(),
});

/** The fields of a package.json that a plan needs. */
export type PackageJson = z.infer<typeof packageJsonSchema>;

/** A project with a package.json, and the programs of the machine that builds it. */
export interface NodeProject {
  readonly files: ProjectFiles;
  readonly programs: Programs;
  readonly manifest: PackageJson;
}

/** Parses a package.json. @throws BerthError `build_failed` if it isn't JSON or has fields that npm doesn't accept. */
export function parsePackageJson(source: string): PackageJson {
  return readData('package.json', 'JSON', () => JSON.parse(source.replace(/^\ufeff/, '')), packageJsonSchema);
}

/** Returns the names of all dependencies, for building and for running. */
export function dependencyNames(manifest: PackageJson): ReadonlySet<string> {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  return new Set([dependencies, devDependencies, optionalDependencies].flatMap((each) => Object.keys(each)));
}

/** Scripts that npm runs during installation. Source: https://docs.npmjs.com/cli/v11/using-npm/scripts, "npm ci". */
const LIFECYCLE = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** Reports whether installation runs the project's own code. Git hooks don't count, because there is no repository. */
export function hasInstallScripts({ scripts }: PackageJson): boolean {
  return LIFECYCLE.some(
    (name) => scripts[name] !== undefined && !/^\s*(husky|lefthook|simple-git-hooks)\b/.test(scripts[name]),
  );
}

/** Dependencies in the project's own source tree. */
export interface LocalDependencies {
  /** True if folders of the tree are among the dependencies. */
  readonly hasFolders: boolean;
  /** Paths of packed packages, relative to the project. Their contents determine the result, like a lock file. */
  readonly tarballs: readonly string[];
}

/** Finds the dependencies that are in the source tree. */
export function findLocalDependencies(manifest: PackageJson): LocalDependencies {
  const { dependencies, devDependencies, optionalDependencies, workspaces } = manifest;
  const wanted = [dependencies, devDependencies, optionalDependencies].flatMap((each) => Object.values(each));
  const local = wanted.filter((version) => /^(file|link|portal|workspace):/.test(version));
  const tarballs = local.map((version) => TARBALL.exec(version)?.[1]).filter((path) => path !== undefined);
  return { hasFolders: workspaces !== undefined || tarballs.length < local.length, tarballs };
}

/** Matches a tarball in the project itself; paths with `..` don't match. */
const TARBALL = /^file:(?:\.\/)?((?:[\w@+-][\w.@+-]*\/)*[\w@+-][\w.@+-]*\.(?:tgz|tar\.gz))$/;
