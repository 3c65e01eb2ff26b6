import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createError } from '@berth/contract';
import type { Env, Hono } from 'hono';

/** The documentation in the repository. An installation may lack it. */
const DOCS = fileURLToPath(new URL('../../../../docs', import.meta.url));

/** A page of the documentation. */
interface DocsPage {
  /** Relative to the folder of the documentation, e.g. `guides/logs.md`. */
  readonly name: string;
  readonly title: string;
  /** The first sentence. */
  readonly summary: string;
}

const HEADERS = { 'Cache-Control': 'public, max-age=300' };

/**
 * Registers the documentation for programs: an index at `/llms.txt` (https://llmstxt.org) and each page as Markdown below `/docs/`. Only
 * the pages that were found at the start are served. Registers nothing where there is no documentation.
 * @param apiUrl the address of the API, without a trailing slash
 */
export function registerDocsRoutes<E extends Env>(api: Hono<E>, apiUrl: string, folder: string = DOCS): void {
  const pages = listPages(folder);
  if (pages.length === 0) return;
  const names = new Set(pages.map(({ name }) => name));
  const index = renderIndex(pages, apiUrl);
  api.get('/llms.txt', (c) => c.body(index, 200, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }));
  api.get('/docs/*', async (c) => {
    const name = c.req.path.slice('/docs/'.length);
    if (!names.has(name)) throw createError('not_found', `No page ${name.slice(0, 200)}. /llms.txt lists all pages.`);
    const text = await readFile(path.join(folder, name), 'utf8');
    return c.body(text, 200, { ...HEADERS, 'Content-Type': 'text/markdown; charset=utf-8' });
  });
}

function listPages(folder: string): readonly DocsPage[] {
  return ['', 'guides', 'decisions', 'contract'].flatMap((part) => {
    let entries: string[];
    try {
      entries = readdirSync(path.join(folder, part)).filter((name) => name.endsWith('.md'));
    } catch {
      return [];
    }
    return entries.sort().map((entry) => readPage(folder, path.posix.join(part, entry)));
  });
}

function readPage(folder: string, name: string): DocsPage {
  const text = readFileSync(path.join(folder, name), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
  // Links would point nowhere in another document.
  const paragraph = (/^[A-Z`*][^\n]*(?:\n[^\n]+)*/m.exec(text.slice(text.indexOf('\n')))?.[0] ?? '')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ');
  return { name, title, summary: /^.*?[.:](?= |$)/.exec(paragraph)?.[0] ?? '' };
}

function renderIndex(pages: readonly DocsPage[], apiUrl: string): string {
  const list = (isListed: (name: string) => boolean) =>
    pages
      .filter(({ name }) => isListed(name))
      .map(({ name, title, summary }) => `- [${title}](${apiUrl}/docs/${name})${summary === '' ? '' : `: ${summary}`}`);
  return [
    '# Berth',
    '',
    '> A self-hosted cloud for agents and containers: source to URL, with logs, metrics, volumes and schedules.',
    '',
    `Coding agents use the tools of the MCP server at ${apiUrl}/mcp. Programs use the HTTP API: ${apiUrl}/openapi.json.`,
    '',
    '## Guides',
    '',
    ...list((name) => name.startsWith('guides/')),
    '',
    '## Reference',
    '',
    ...list((name) => !name.includes('/') || name.startsWith('contract/')),
    '',
    '## Optional',
    '',
    ...list((name) => name.startsWith('decisions/')),
    '',
  ].join('\n');
}
