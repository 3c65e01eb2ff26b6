import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readMarkdown } from './read-markdown.ts';

const FOLDER = 'docs/decisions';
const INDEX = `${FOLDER}/README.md`;
/** `| [0001](0001-name.md) | Title | One line |` */
const ROW = /^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| (.+?) \|$/;

/** Checks that the index of the decisions lists each page once, in order, with its title and a line. */
export function checkDecisions(root: string): { readonly read: number; readonly faults: readonly string[] } {
  const pages = globSync(`${FOLDER}/[0-9]*.md`, { cwd: root })
    .map((file) => path.basename(file))
    .sort();
  if (pages.length === 0) return { read: 0, faults: [] };
  let index = '';
  try {
    index = readFileSync(path.join(root, INDEX), 'utf8');
  } catch {
    return { read: pages.length, faults: [`${INDEX} is missing`] };
  }
  const rows = index.split('\n').flatMap((line) => {
    const [, number = '', file = '', title = ''] = ROW.exec(line) ?? [];
    return file === '' ? [] : [{ number, file, title }];
  });
  const faults = pages.flatMap((page) => {
    const [row, ...others] = rows.filter(({ file }) => file === page);
    if (row === undefined) return [`${INDEX}: ${page} is not listed as | [NNNN](FILE) | title | one line |`];
    const title = readMarkdown(readFileSync(path.join(root, FOLDER, page), 'utf8')).title?.replace(/^\d+\. /, '');
    return [
      ...(others.length > 0 ? [`${INDEX}: ${page} is listed twice`] : []),
      ...(row.number === page.slice(0, 4) ? [] : [`${INDEX}: ${page} is listed as ${row.number}`]),
      ...(row.title === title ? [] : [`${INDEX}: the title of ${page} is "${title}", not "${row.title}"`]),
    ];
  });
  const order = rows.map(({ file }) => file);
  if (order.join() !== order.toSorted().join())
    faults.push(`${INDEX}: decisions are not in the order of their numbers`);
  return { read: pages.length, faults };
}
