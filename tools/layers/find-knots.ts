import path from 'node:path';
import { isTestFile } from './find-violations.ts';
import type { SourcePackage } from './read-sources.ts';
import { KNOTS_ALLOWED } from './table.ts';

/** Imports between the folders of a package. */
export interface FolderPairs {
  readonly package: string;
  /** The package's own folder, relative to the repo's root. */
  readonly folder: string;
  /** Pairs of folders of which at least one imports from the other. */
  readonly pairs: number;
  /** Pairs in which each folder imports from the other, as `a ~ b`, relative to `src`; `.` is `src` itself. */
  readonly knots: readonly string[];
}

/** Finds the folder pairs of each package. Every folder counts at any depth; tests and contract suites don't. */
export function findFolderPairs(packages: readonly SourcePackage[]): FolderPairs[] {
  return packages.map((one) => {
    const folderOf = (file: string) => path.posix.relative(`${one.folder}/src`, path.posix.dirname(file)) || '.';
    const arrows = new Set<string>();
    for (const file of one.files) {
      if (isTestFile(file.path)) continue;
      for (const { specifier } of file.imports) {
        if (!specifier.startsWith('.')) continue;
        const target = path.posix.join(path.posix.dirname(file.path), specifier);
        if (folderOf(file.path) !== folderOf(target)) arrows.add(`${folderOf(file.path)} > ${folderOf(target)}`);
      }
    }
    const back = (arrow: string) => arrow.split(' > ').reverse().join(' > ');
    const knots = [...arrows].filter((arrow) => arrows.has(back(arrow)) && arrow < back(arrow));
    return {
      package: one.name,
      folder: one.folder,
      pairs: arrows.size - knots.length,
      knots: knots.map((arrow) => arrow.replace(' > ', ' ~ ')).sort(),
    };
  });
}

/** Finds packages with more knots than the table allows, and packages with fewer, whose figure must be lowered. */
export function findKnotFaults(folders: readonly Pick<FolderPairs, 'package' | 'knots'>[]): string[] {
  return folders.flatMap(({ package: name, knots }) => {
    const allowed = KNOTS_ALLOWED[name] ?? 0;
    if (knots.length === allowed) return [];
    if (knots.length < allowed) {
      return [`${name}: ${knots.length} knots, ${allowed} allowed: lower KNOTS_ALLOWED in tools/layers/table.ts`];
    }
    return [`${name}: ${knots.length} pairs of folders import each other, ${allowed} allowed: ${knots.join(', ')}`];
  });
}
