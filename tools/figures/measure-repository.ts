import { findFolderPairs } from '../layers/find-knots.ts';
import { isTestFile } from '../layers/find-violations.ts';
import { readFiles, readPackages, type SourceFile } from '../layers/read-sources.ts';
import { type Duplicate, findDuplicates } from './find-duplicates.ts';
import { countCommentLines, countExports, countLines } from './measure-text.ts';

/** The code of a package, or of a folder beside the packages. */
export interface PartFigures {
  readonly name: string;
  readonly sourceFiles: number;
  readonly sourceLines: number;
  readonly testLines: number;
  /** Lines of tests for each line of source; undefined without source. */
  readonly testRatio: number | undefined;
  /** Pairs of folders that import each other. */
  readonly knots: number;
}

/** The code of a repository. TypeScript only; `examples/`, fixtures and templates are left out. */
export interface RepositoryFigures {
  readonly sourceFiles: number;
  readonly sourceLines: number;
  readonly testFiles: number;
  readonly testLines: number;
  readonly testRatio: number | undefined;
  /** Lines of a source file. */
  readonly fileLines: { readonly median: number; readonly p90: number; readonly max: number; readonly longest: string };
  /** Pairs of folders of one package of which at least one imports from the other. */
  readonly folderPairs: number;
  readonly knots: number;
  /** Exported declarations of source in `packages/` and `apps/`. */
  readonly exports: number;
  readonly documentedExports: number;
  readonly documentedRatio: number | undefined;
  /** Lines of source that are a comment. */
  readonly commentLines: number;
  readonly commentRatio: number | undefined;
  readonly duplicates: {
    readonly source: DuplicateFigures;
    readonly tests: DuplicateFigures;
  };
  readonly parts: readonly PartFigures[];
}

/** Runs of equal lines, see `findDuplicates`. */
export interface DuplicateFigures {
  readonly pairs: number;
  /** The ten longest. */
  readonly longest: readonly Duplicate[];
}

const PATTERNS = ['{apps,packages}/*/src/**/*.{ts,tsx}', '{tools,tests,bench}/**/*.{ts,tsx}', '*.ts'];
const LEFT_OUT = /(^|\/)(fixtures|templates|generated)\//;

/**
 * Measures the repository at `root`.
 * @throws Error when there is no TypeScript in it.
 */
export function measureRepository(root: string): RepositoryFigures {
  const files = readFiles(root, PATTERNS).filter(({ path }) => !LEFT_OUT.test(path));
  if (files.length === 0) throw new Error(`${root} has no TypeScript in apps/, packages/, tools/, tests/ or bench/.`);
  const source = files.filter(({ path }) => !isTest(path));
  const tests = files.filter(({ path }) => isTest(path));
  const exported = source.filter(({ path }) => /^(apps|packages)\//.test(path)).map(({ text }) => countExports(text));
  const folders = findFolderPairs(readPackages(root));
  const knotsOf = (folder: string) => folders.find((one) => one.folder === folder)?.knots.length ?? 0;
  const sourceLines = linesOf(source);
  const testLines = linesOf(tests);
  const exports = sum(exported.map((one) => one.exports));
  const documentedExports = sum(exported.map((one) => one.documented));
  const commentLines = sum(source.map(({ text }) => countCommentLines(text)));
  return {
    sourceFiles: source.length,
    sourceLines,
    testFiles: tests.length,
    testLines,
    testRatio: ratio(testLines, sourceLines),
    fileLines: spreadOf(source),
    folderPairs: sum(folders.map(({ pairs }) => pairs)),
    knots: sum(folders.map(({ knots }) => knots.length)),
    exports,
    documentedExports,
    documentedRatio: ratio(documentedExports, exports),
    commentLines,
    commentRatio: ratio(commentLines, sourceLines),
    duplicates: { source: duplicatesOf(source), tests: duplicatesOf(tests) },
    parts: Object.entries(Object.groupBy(files, ({ path }) => partOf(path)))
      .map(([name, own = []]) => {
        const ownSource = own.filter(({ path }) => !isTest(path));
        const ownTests = own.filter(({ path }) => isTest(path));
        return {
          name,
          sourceFiles: ownSource.length,
          sourceLines: linesOf(ownSource),
          testLines: linesOf(ownTests),
          testRatio: ratio(linesOf(ownTests), linesOf(ownSource)),
          knots: knotsOf(name),
        };
      })
      .sort((a, b) => b.sourceLines - a.sourceLines),
  };
}

/** The checks of the layers let all of tools/ import like tests; here only its tests are tests. */
function isTest(file: string): boolean {
  return file.startsWith('tools/') ? /\.test\.ts$/.test(file) : isTestFile(file);
}

function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (second === '') return '.';
  return first === 'apps' || first === 'packages' ? `${first}/${second}` : first;
}

function linesOf(files: readonly SourceFile[]): number {
  return sum(files.map(({ text }) => countLines(text)));
}

function spreadOf(files: readonly SourceFile[]): RepositoryFigures['fileLines'] {
  const sorted = files.map(({ path, text }) => ({ path, lines: countLines(text) })).sort((a, b) => a.lines - b.lines);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.lines ?? 0;
  const last = sorted.at(-1);
  return { median: at(0.5), p90: at(0.9), max: last?.lines ?? 0, longest: last?.path ?? '' };
}

function duplicatesOf(files: readonly SourceFile[]): DuplicateFigures {
  const found = findDuplicates(files);
  return { pairs: found.length, longest: found.slice(0, 10) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** To four places. */
function ratio(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : Math.round((10_000 * part) / whole) / 10_000;
}
