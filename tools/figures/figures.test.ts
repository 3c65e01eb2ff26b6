import { execFile } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { findDuplicates } from './find-duplicates.ts';
import { measureRepository } from './measure-repository.ts';
import { folderBytes } from './measure-sizes.ts';
import { countCommentLines, countExports, countLines } from './measure-text.ts';

const root = mkdtempSync(path.join(tmpdir(), 'berth-figures-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};
const lines = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index};`);

describe('countLines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n\n', 2],
  ])('%j has %i', (text, count) => expect(countLines(text)).toBe(count));
});

// Fails when the lines inside a block comment are not counted, and when a comment behind code is.
it('counts the lines that are a comment alone', () => {
  expect(countCommentLines('/**\n * a\n */\ncode; // b\n// c\n/* d */ \ncode;\n')).toBe(5);
});

describe('countExports', () => {
  // Fails when any comment counts as a doc comment, or one that a blank line parts from its export.
  it('takes a doc comment directly above, and no other', () => {
    const text = [
      '/** Documented. */',
      'export function a(): void {}',
      '/* Not a doc comment. */',
      'export const b = 1;',
      '/** Parted. */',
      '',
      'export class C {}',
      '/**',
      ' * Long.',
      ' */',
      'export interface D {}',
      'export type E = 1;',
      "export { F } from './f.ts';",
    ].join('\n');
    expect(countExports(text)).toEqual({ exports: 5, documented: 2 });
  });

  // Fails when the doc comment of the schema isn't looked for, and when one without a doc comment counts.
  it('counts a type derived from a documented constant of the file as documented', () => {
    const text = '/** A. */\nexport const a = z.string();\nexport type A = z.infer<typeof a>;';
    expect(countExports(text)).toEqual({ exports: 2, documented: 2 });
    expect(countExports(text.replace('/** A. */', '//'))).toEqual({ exports: 2, documented: 0 });
  });

  it('counts the overloads of a function once', () => {
    expect(countExports('/** A. */\nexport function a(): 1;\nexport function a(b?: 1): 1 {}')).toEqual({
      exports: 1,
      documented: 1,
    });
  });
});

describe('findDuplicates', () => {
  // Fails when every window of a run is counted, and when indentation or blank lines part a run.
  it('finds a run once, from where it begins, whatever its indentation', () => {
    const run = lines('same', 8);
    const a = ['first;', ...run, 'end a;'].join('\n');
    const b = ['b;', 'b2;', ...run.map((line) => `    ${line}`).flatMap((line) => [line, '']), 'end b;'].join('\n');
    expect(findDuplicates([file('a.ts', a), file('b.ts', b)])).toEqual([{ lines: 8, places: ['a.ts:2', 'b.ts:3'] }]);
  });

  it('leaves out shorter runs and imports', () => {
    const short = lines('same', 5).join('\n');
    const imports = lines('', 8)
      .map((_, index) => `import { a${index} } from './a${index}.ts';`)
      .join('\n');
    expect(findDuplicates([file('a.ts', `${short}\na;`), file('b.ts', `${short}\nb;`)])).toEqual([]);
    expect(findDuplicates([file('a.ts', imports), file('b.ts', imports)])).toEqual([]);
  });

  it('counts each pair of three places', () => {
    const run = lines('same', 6).join('\n');
    expect(findDuplicates(['a.ts', 'b.ts', 'c.ts'].map((name) => file(name, run)))).toHaveLength(3);
  });
});

// Fails when a file with two names is counted twice.
it('counts the bytes of a file with two names once', () => {
  write('sizes/a/one', '12345');
  linkSync(path.join(root, 'sizes/a/one'), path.join(root, 'sizes/two'));
  write('sizes/three', '123');
  expect(folderBytes(path.join(root, 'sizes'))).toBe(8);
  expect(folderBytes(path.join(root, 'missing'))).toBe(0);
});

describe('a repository', () => {
  const repository = path.join(root, 'repository');
  const put = (file: string, text: string) => write(path.join('repository', file), text);
  put('packages/one/package.json', '{ "name": "@berth/one" }');
  put('packages/one/src/a/a.ts', "import '../b/b.ts';\n/** A. */\nexport const a = 1;\n");
  put('packages/one/src/b/b.ts', "import '../a/c.ts';\nexport const b = 1;\n");
  put('packages/one/src/a/c.ts', '// c\n');
  put('packages/one/src/a/a.test.ts', "import './a.ts';\n\n");
  put('packages/one/src/fixtures/left-out.ts', 'a\n'.repeat(50));
  put('tools/x/main.ts', 'a;\n');
  put('tools/x/x.test.ts', 'a;\n');

  // Fails when tests count as source, when fixtures count, and when tools/ counts as tests as it does for the layers.
  it('is measured', () => {
    expect(measureRepository(repository)).toMatchObject({
      sourceFiles: 4,
      sourceLines: 7,
      testFiles: 2,
      testLines: 3,
      testRatio: 0.4286,
      fileLines: { median: 1, p90: 2, max: 3, longest: 'packages/one/src/a/a.ts' },
      folderPairs: 1,
      knots: 1,
      exports: 2,
      documentedExports: 1,
      documentedRatio: 0.5,
      commentLines: 2,
      parts: [
        { name: 'packages/one', sourceFiles: 3, sourceLines: 6, testLines: 2, knots: 1 },
        { name: 'tools', sourceFiles: 1, sourceLines: 1, testLines: 1, knots: 0 },
      ],
    });
  });

  it('is measured by the command, and a folder without code is refused', async () => {
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'main.ts'), ...words]);
    expect(JSON.parse((await run('--json', '--root', repository)).stdout)).toMatchObject({ sourceLines: 7, knots: 1 });
    expect((await run('--root', repository)).stdout).toContain('4 files, 7 lines');
    await expect(run('--root', path.join(root, 'sizes'))).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no TypeScript'),
    });
    await expect(run('--rot', '.')).rejects.toMatchObject({ code: 2 });
  });
});

function file(name: string, text: string) {
  return { path: name, text };
}
