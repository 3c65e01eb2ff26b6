import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { checkDocs } from './check-docs.ts';
import { readMarkdown } from './read-markdown.ts';
import { keepComments, readPaths } from './read-mentions.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository in which all is well, with more files on top. */
function makeRepository(more: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), 'berth-docs-'));
  folders.push(root);
  const files: Readonly<Record<string, string>> = {
    'package.json': '{ "scripts": { "lint": "" } }',
    'README.md': '# Readme\n\n[a guide](docs/guide.md#one-task), [here](#readme), `npm run lint`, `tools/x/main.ts`\n',
    'docs/guide.md': '# Guide\n\n## One task\n',
    'docs/contract.md': '# Contract\n\n## §4. Chats\n',
    'docs/decisions/0001-first.md': '# 1. First\n',
    'docs/decisions/README.md': '| [0001](0001-first.md) | First | One line. |\n',
    'tools/x/main.ts': '// Source: docs/contract.md §4. See `x/main.ts`.\n',
    ...more,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

const faultsWith = (more: Readonly<Record<string, string>>) => checkDocs(makeRepository(more)).faults;

describe('checkDocs', () => {
  it('finds nothing wrong where all that is named exists', () => {
    const { read, faults } = checkDocs(makeRepository());
    expect(faults).toEqual([]);
    expect(read).toEqual({ files: 6, links: 3, anchors: 2, paths: 4, sections: 1, scripts: 1, decisions: 1 });
  });

  // Each fails when its check is taken out of check-docs.ts.
  it.each([
    ['a link', 'docs/a.md', '[x](missing.md)', 'docs/a.md:1: missing.md leads nowhere'],
    ['an image', 'docs/a.md', '![x](images/missing.png)', 'docs/a.md:1: images/missing.png leads nowhere'],
    ['a definition of a link', 'docs/a.md', '[x]: ../gone.md', 'docs/a.md:1: ../gone.md leads nowhere'],
    ['an anchor', 'docs/a.md', '\n[x](guide.md#two-tasks)', 'docs/a.md:2: docs/guide.md has no heading #two-tasks'],
    ['a path in a document', 'docs/a.md', 'See `tools/y`.', 'docs/a.md:1: there is no tools/y'],
    ['a path in a comment', 'tools/a.ts', '\n// See docs/gone.md.', 'tools/a.ts:2: there is no docs/gone.md'],
    ['a pattern', 'tools/a.ts', '/** `docs/gone*.json` */', 'tools/a.ts:1: there is no docs/gone*.json'],
    ['a section', 'tools/a.ts', '// docs/contract.md §5', 'tools/a.ts:1: docs/contract.md has no §5'],
    ['a file by its name', 'tools/a.ts', '// As `gone.ts` does.', 'tools/a.ts:1: no file is called gone.ts'],
    ['a script', 'docs/a.md', 'npm run lintt', 'docs/a.md:1: package.json has no script lintt'],
    ['a folder', 'packages/p/README.md', '`src/y/`', 'packages/p/README.md:1: packages/p has no folder src/y/'],
  ])('finds %s that is not there', (_what, file, text, fault) => expect(faultsWith({ [file]: text })).toEqual([fault]));

  it.each([
    ['a link in code', '`[x](missing.md)` and\n```\n[x](missing.md)\n```\n'],
    ['an address', '[x](https://example.com/missing.md) and https://example.com/docs/missing.md'],
    ['a name that stands for many', '`packages/<name>/src`, `docs/decisions/NNNN-….md`'],
    ['words', 'tools/sandbox and packages/apps'],
    ['scripts of projects', 'npm run build'],
  ])('lets %s pass', (_what, text) => expect(faultsWith({ 'docs/a.md': text })).toEqual([]));

  // Fails when a title is not compared, or when a page without a row passes.
  it('finds decisions that the index lacks or names otherwise', () => {
    const page = { 'docs/decisions/0002-second.md': '# 2. Second\n' };
    expect(faultsWith(page)).toEqual([expect.stringContaining('0002-second.md is not listed')]);
    const row = (title: string) => `| [0002](0002-second.md) | ${title} | Line. |\n`;
    const first = '| [0001](0001-first.md) | First | One line. |\n';
    expect(faultsWith({ ...page, 'docs/decisions/README.md': first + row('Third') })).toEqual([
      expect.stringContaining('is "Second", not "Third"'),
    ]);
    expect(faultsWith({ ...page, 'docs/decisions/README.md': row('Second') + first })).toEqual([
      expect.stringContaining('order'),
    ]);
  });
});

it('makes anchors as GitHub does', () => {
  const { anchors } = readMarkdown(
    '# `berth.json`, and "more"\n## A b\n## A b\n```\n# not one\n```\n## [Link](x.md) é\n',
  );
  expect([...anchors]).toEqual(['berthjson-and-more', 'a-b', 'a-b-1', 'link-é']);
});

it('reads paths of comments alone, with the lines they are on', () => {
  const text = "const a = 'docs/string.md';\n/**\n * docs/a.md §2\n */\ncode(); // `apps/x`\n";
  expect(readPaths(keepComments(text))).toEqual([
    { path: 'docs/a.md', section: '2', anchor: undefined, line: 3 },
    { path: 'apps/x', section: undefined, anchor: undefined, line: 5 },
  ]);
});

// Fails when main.ts ends with 0 all the same, and when a check that read nothing passes.
it('ends with 1 for a fault, and where it read nothing', async () => {
  const run = (root: string) =>
    promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'main.ts'), root]);
  expect((await run(makeRepository())).stdout).toContain('6 files, 3 links');
  await expect(run(makeRepository({ 'docs/a.md': '[x](gone.md)' }))).rejects.toMatchObject({ code: 1 });
  await expect(run(makeRepository({ 'tools/x/main.ts': '' }))).rejects.toMatchObject({
    code: 1,
    stderr: 'docs: read no sections, so proved nothing\n',
  });
});
