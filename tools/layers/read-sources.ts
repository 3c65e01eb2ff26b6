import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A TypeScript file of the repo. */
export interface SourceFile {
  /** Relative to the repo's root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Specifiers of its imports and re-exports, including type-only ones, with their lines from 1. */
  readonly imports: readonly { readonly specifier: string; readonly line: number }[];
}

/** A workspace package and its files. */
export interface SourcePackage {
  readonly name: string;
  /** Relative to the repo's root. */
  readonly folder: string;
  readonly dependencies: readonly string[];
  readonly files: readonly SourceFile[];
}

const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Reads the import specifiers of TypeScript text, without those in comments. */
export function readImports(text: string): { specifier: string; line: number }[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...code.matchAll(IMPORT)].map((match) => ({
    specifier: (match[1] ?? match[2]) as string,
    line: code.slice(0, match.index + match[0].length).split('\n').length,
  }));
}

/** Reads every workspace package below `root`. */
export function readPackages(root: string): SourcePackage[] {
  return globSync(['packages/*/package.json', 'apps/*/package.json'], { cwd: root })
    .sort()
    .map((manifestPath) => {
      const manifest = JSON.parse(readFileSync(path.join(root, manifestPath), 'utf8')) as {
        name: string;
        dependencies?: Record<string, string>;
        peerDependencies?: Record<string, string>;
      };
      const folder = path.posix.dirname(manifestPath);
      return {
        name: manifest.name,
        folder,
        dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
        files: readFiles(root, [`${folder}/src/**/*.ts`, `${folder}/src/**/*.tsx`]),
      };
    });
}

/** Reads the files that match the patterns. */
export function readFiles(root: string, patterns: readonly string[]): SourceFile[] {
  return globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      return { path: file.split(path.sep).join('/'), text, imports: readImports(text) };
    });
}
