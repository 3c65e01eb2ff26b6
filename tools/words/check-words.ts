import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PATTERNS } from './patterns.ts';
import { readProse, readSource, type Words } from './read-words.ts';

/** How many texts of each kind were read, and what is wrong as `path:line: "…" …`. */
export interface WordsReport {
  readonly read: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/** The kinds of text that people read, and the files that hold them. */
const PLACES: readonly { readonly kind: string; readonly files: readonly string[] }[] = [
  { kind: 'strings of the pages', files: ['{apps/console,apps/chat,packages/ui}/src/**/*.{ts,tsx}'] },
  { kind: 'strings of the CLI', files: ['apps/cli/src/**/*.ts'] },
  { kind: 'strings of the platform', files: ['apps/server/src/**/*.ts', 'packages/!(ui)/src/**/*.ts'] },
  { kind: 'doc comments', files: ['{apps,packages}/*/src/**/*.{ts,tsx}'] },
  { kind: 'lines of the docs', files: ['*.md', 'docs/**/*.md', '{apps,packages}/*/README.md', 'examples/**/*.md'] },
];

/** Other languages, contracts that others wrote, generated files, tests, and samples that programs are fed with. */
const LEFT_OUT = [
  '**/node_modules/**',
  'apps/*/dist/**',
  '**/text/ar.ts',
  '**/text/ar/**',
  '**/generated/**',
  '**/testing/**',
  '**/src/contract/**',
  'packages/testkit/**',
  '**/*.{test,test-support}.{ts,tsx}',
  'docs/contract/**',
  'docs/{api,agent-api}.md',
];

/** Reads what people read below `root`, and looks for the patterns. */
export function checkWords(root: string): WordsReport {
  const read: Record<string, number> = {};
  const faults = new Set<string>();
  const known = new Map<string, readonly Words[]>();
  for (const { kind, files } of PLACES) {
    read[kind] = 0;
    for (const file of globSync([...files], { cwd: root, exclude: LEFT_OUT }).sort()) {
      const words = known.get(file) ?? readFile(root, file);
      known.set(file, words);
      for (const { kind: its, text, line } of words) {
        if ((its === 'doc comment') !== (kind === 'doc comments')) continue;
        read[kind]++;
        for (const { found, offset, instead } of findPatterns(text, its)) {
          const lines = text.slice(0, offset).split('\n').length - 1;
          faults.add(`${file}:${line + lines}: "${found}": ${instead}`);
        }
      }
    }
  }
  return { read, faults: [...faults] };
}

function readFile(root: string, file: string): readonly Words[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return file.endsWith('.md') ? readProse(text) : readSource(file, text, { hasLabels: /\/text\/en[./]/.test(file) });
}

/** Returns what a text says that it should say otherwise. */
export function findPatterns(text: string, kind: Words['kind']) {
  return PATTERNS.flatMap(({ pattern, instead, kinds }) => {
    const match = kinds === undefined || kinds.includes(kind) ? pattern.exec(text) : null;
    if (match === null) return [];
    const offset = match.index + match[0].search(/\w/);
    const found = text
      .slice(offset, match.index + match[0].length + 24)
      .replace(/\s+/g, ' ')
      .trim();
    return [{ found, offset, instead }];
  });
}
