import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { checkDecisions } from './check-decisions.ts';
import { type Markdown, readMarkdown } from './read-markdown.ts';
import { keepComments, readFileNames, readFolderNames, readPaths, readScripts } from './read-mentions.ts';

/** How much was read, and what is wrong as `path:line what`. */
export interface DocsReport {
  readonly read: Readonly<
    Record<'files' | 'links' | 'anchors' | 'paths' | 'sections' | 'scripts' | 'decisions', number>
  >;
  readonly faults: readonly string[];
}

const MARKDOWN = '**/*.md';
const SOURCES = ['{apps,packages,tools,bench,tests}/**/*.{ts,tsx,js}', '*.ts'];
/** The check's own test names what isn't there. */
const LEFT_OUT = [
  '**/node_modules/**',
  'apps/*/dist/**',
  '**/.*/**',
  '**/fixtures/**',
  'tests/samples/*/**',
  '**/templates/**',
  'tools/docs/docs.test.ts',
];

/** Scripts of the projects that people deploy, which texts name beside our own. */
const SCRIPTS_OF_PROJECTS = ['build', 'dev', 'start', 'qwik', 'x'];

/**
 * Checks that what documents and comments refer to exists: relative links and anchors of Markdown, paths of the repository, sections
 * of pages, scripts of `package.json`; and that the index of decisions is whole.
 * @param root the repository
 */
export function checkDocs(root: string): DocsReport {
  const read = { files: 0, links: 0, anchors: 0, paths: 0, sections: 0, scripts: 0, decisions: 0 };
  const faults: string[] = [];
  const pages = new Map<string, Markdown>();
  const pageAt = (file: string): Markdown => {
    const known = pages.get(file) ?? readMarkdown(readFileSync(path.join(root, file), 'utf8'));
    pages.set(file, known);
    return known;
  };
  const { scripts = {} } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  const find = (pattern: string | readonly string[]) => globSync(pattern, { cwd: root, exclude: LEFT_OUT }).sort();

  // A file may be named by its name alone or with some of its folders.
  const names = new Set(
    globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }).flatMap((file) => {
      const words = file.split('/');
      return words.map((_, index) => words.slice(index).join('/'));
    }),
  );
  const checkAnchor = (place: string, file: string, anchor: string) => {
    read.anchors++;
    if (!pageAt(file).anchors.has(anchor)) faults.push(`${place}: ${file} has no heading #${anchor}`);
  };
  const checkMentions = (file: string, text: string) => {
    for (const { path: named, section, anchor, line } of readPaths(text)) {
      read.paths++;
      if (!exists(root, named)) {
        faults.push(`${file}:${line}: there is no ${named}`);
        continue;
      }
      if (!named.endsWith('.md')) continue;
      if (anchor !== undefined) checkAnchor(`${file}:${line}`, named, anchor);
      if (section === undefined) continue;
      read.sections++;
      if (!pageAt(named).sections.has(section)) faults.push(`${file}:${line}: ${named} has no §${section}`);
    }
    for (const { name, line } of readFileNames(text)) {
      read.paths++;
      if (!names.has(name)) faults.push(`${file}:${line}: no file is called ${name}`);
    }
    for (const { script, line } of readScripts(text)) {
      read.scripts++;
      if (!Object.hasOwn(scripts, script) && !SCRIPTS_OF_PROJECTS.includes(script)) {
        faults.push(`${file}:${line}: package.json has no script ${script}`);
      }
    }
  };

  for (const file of find(MARKDOWN)) {
    read.files++;
    for (const { target, line } of pageAt(file).links) {
      if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
      read.links++;
      const [to = '', anchor] = decodeURI(target).split('#');
      const linked = to === '' ? file : path.posix.join(path.posix.dirname(file), to);
      if (!existsSync(path.join(root, linked))) faults.push(`${file}:${line}: ${target} leads nowhere`);
      else if (anchor && linked.endsWith('.md')) checkAnchor(`${file}:${line}`, linked, anchor);
    }
    const text = readFileSync(path.join(root, file), 'utf8');
    checkMentions(file, text);
    // The README of a package names the package's own folders.
    const own = /^(?:apps|packages)\/[\w-]+(?=\/README\.md$)/.exec(file)?.[0];
    if (own === undefined) continue;
    for (const { name, line } of readFolderNames(text)) {
      read.paths++;
      const isThere = globSync([name, `**/${name}`], { cwd: path.join(root, own), exclude: LEFT_OUT }).length > 0;
      if (!isThere) faults.push(`${file}:${line}: ${own} has no folder ${name}/`);
    }
  }
  for (const file of find(SOURCES)) {
    read.files++;
    const text = readFileSync(path.join(root, file), 'utf8');
    checkMentions(file, keepComments(text));
  }
  const decisions = checkDecisions(root);
  read.decisions = decisions.read;
  return { read, faults: [...faults, ...decisions.faults] };
}

function exists(root: string, named: string): boolean {
  if (/[*{]/.test(named)) return globSync(named, { cwd: root, exclude: ['**/node_modules/**'] }).length > 0;
  return statSync(path.join(root, named), { throwIfNoEntry: false }) !== undefined;
}
