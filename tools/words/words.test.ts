import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { checkKeys } from './check-keys.ts';
import { checkWords, findPatterns } from './check-words.ts';
import { readProse, readSource } from './read-words.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository with a text of each kind, and more files on top. */
function makeRepository(more: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(path.join(tmpdir(), 'berth-words-'));
  folders.push(root);
  const files: Readonly<Record<string, string>> = {
    'README.md': '# Berth\n',
    'apps/chat/src/text/en.ts': "export const EN = {\n  'a.save': 'Save',\n};\n",
    'apps/chat/src/main.ts': "t('a.save');\n",
    'apps/cli/src/main.ts': "/** Prints a line. */\nconsole.log('Sign in first.');\n",
    'packages/kit/src/a.ts': "throw new Error('No such name.');\n",
    ...more,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

const faultsWith = (more: Readonly<Record<string, string>>) => checkWords(makeRepository(more)).faults;

describe('checkWords', () => {
  it('counts each kind and finds nothing wrong in plain texts', () => {
    const { read, faults } = checkWords(makeRepository());
    expect(faults).toEqual([]);
    expect(read).toEqual({
      'strings of the pages': 1,
      'strings of the CLI': 1,
      'strings of the platform': 1,
      'doc comments': 1,
      'lines of the docs': 1,
    });
  });

  it.each([
    ['a label', 'apps/console/src/text/en/a.ts', "export const EN = {\n  'a.b': 'Anew' };", ':2: "Anew"'],
    [
      'an error',
      'packages/kit/src/b.ts',
      `\n\nthrow new Error(\`\${name} can not be read.\`);`,
      ':3: "can not be read."',
    ],
    ['a help text', 'apps/cli/src/a.ts', "const help = 'What it is for';", ':1: "What it is for"'],
    ['an element', 'apps/chat/src/a.tsx', 'const a = <p>Somebody is here</p>;', ':1: "Somebody is here"'],
    [
      'a doc comment',
      'packages/kit/src/b.ts',
      '/**\n * A lease.\n * Of a deploy. */\nconst a = 1;',
      ':3: "Of a deploy."',
    ],
    [
      'a parameter',
      'packages/kit/src/b.ts',
      '/** Runs.\n * @param a what it is\n * @throws Error by now */',
      ':3: "by now"',
    ],
    ['a paragraph', 'docs/guides/a.md', '# A\n\n1. Whoever reads this.', ':3: "Whoever reads this."'],
    ['a cell', 'docs/guides/a.md', '| a | Of a deploy |', ':1: "Of a deploy |"'],
  ])('finds a pattern in %s', (_what, file, text, fault) =>
    expect(faultsWith({ [file]: text })).toEqual([expect.stringContaining(file + fault)]),
  );

  it.each([
    ['code in Markdown', 'docs/guides/a.md', 'Run `can not`, `what\nbecame of` it.\n```\nanew\n```\n'],
    ['wire values', 'packages/kit/src/b.ts', "const status = 'cancelled';"],
    ['the keys of texts', 'apps/console/src/text/en/a.ts', "export const EN = { 'deploy.cancelled': 'Canceled' };"],
    ['questions', 'docs/guides/a.md', 'What does a request cost? Of which size?'],
    ['comments inside of functions', 'packages/kit/src/b.ts', '// What became of it.'],
    ['the contract', 'docs/contract/a.md', 'Anew.'],
    ['other languages', 'apps/chat/src/text/ar.ts', "export const AR = { a: 'anew' };"],
    ['tests', 'packages/kit/src/b.test.ts', "it('starts anew', run);"],
  ])('lets %s pass', (_what, file, text) => expect(faultsWith({ [file]: text })).toEqual([]));
});

// Each fails when its pattern is taken out.
it.each([
  'The logs can not be read',
  'What it may do',
  'It is kept. Whose connection this is.',
  'Of the deployment',
  'Nobody can sign in',
  'Whoever has the link',
  'by somebody who is gone',
  'Start anew',
  'The link is good for nothing',
  'It is another one by now',
  'Try once more',
  'The database is away',
  'What became of each',
  'It can’t be had back',
  'The key was taken back',
  'The link leads nowhere',
  'No field is named so',
  'No time is written like this',
  'Write it like that.',
  'the one before',
  'what serves goes on',
  'It is there already',
  'The file is not whole',
  'It changes for long',
  'seven at the most',
  'tells apart',
  'The page goes on by itself',
  'Longest request (seconds)',
  'Most instances',
  'the waiting line',
  'upkeep of the log',
  'Keep a visitor with one instance',
  'The deploy was cancelled',
])('finds: %s', (text) => expect(findPatterns(text, 'string')).not.toEqual([]));

it.each([
  'What is a revision?',
  'Of course',
  'A deploy that was canceled',
  'Whether the key is active',
  'You have backups',
  'It takes a backup',
  'Most instances of this kind',
])('leaves alone: %s', (text) => expect(findPatterns(text, 'string').map(({ instead }) => instead)).toEqual([]));

it('reads a template as one sentence and names the line of each text', () => {
  expect(readSource('a.ts', `\nconst a = \`Volume \${name} exists.\`;`)).toEqual([
    { kind: 'string', text: 'Volume {} exists.', line: 2 },
  ]);
  expect(readProse('# As by\n\n- [cd de](e.md)')).toEqual([
    { kind: 'prose', text: 'As by', line: 1 },
    { kind: 'prose', text: '[cd de]', line: 3 },
  ]);
});

// Fails when a text that no page shows stays, or one that is named by a template or as a property is reported.
it('finds the keys of texts that no source uses', () => {
  const report = checkKeys(
    makeRepository({
      'apps/console/src/text/en/a.ts':
        "export const a = {\n  'tab.one': 'One',\n  'b.two': 'Two',\n  'b.dead': 'X',\n  'did.key.make': 'M',\n  'did.key.drop': 'D',\n};\n",
      'apps/console/src/text/ar/a.ts': "export const a = {\n  'b.dead': 'X',\n};\n",
      'apps/console/src/a.ts': `t(\`tab.\${tab}\`); t(\`did.\${action}\`); const hints = { 'b.two': 2 };\n`,
      'packages/contract/src/actions.ts': "const ACTIONS = ['key.make'];\n",
      'apps/console/src/a.test.ts': "t('b.dead');\n",
    }),
  );
  expect(report).toEqual({
    read: 6,
    faults: ['b.dead', 'did.key.drop'].map(
      (key) => `apps/console/src/text/en/a.ts: "${key}" is used nowhere: delete it, or use it`,
    ),
  });
});

it('fails in the end, and when a kind of text was not found', async () => {
  const run = (root: string) =>
    promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'main.ts'), root]).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      ({ code, stderr }) => ({ code, output: stderr }),
    );
  expect(await run(makeRepository())).toEqual({ code: 0, output: expect.stringContaining('1 strings of the CLI') });
  expect(await run(makeRepository({ 'docs/a.md': 'Anew.' }))).toEqual({
    code: 1,
    output: expect.stringContaining('docs/a.md:1: "Anew."'),
  });
  const unused = "export const EN = {\n  'a.save': 'Save',\n  'a.dead': 'Dead',\n};\n";
  expect(await run(makeRepository({ 'apps/chat/src/text/en.ts': unused }))).toEqual({
    code: 1,
    output: expect.stringContaining('"a.dead" is used nowhere'),
  });
  expect(await run(path.join(makeRepository(), 'apps'))).toEqual({
    code: 1,
    output: expect.stringContaining('read no lines of the docs'),
  });
});
