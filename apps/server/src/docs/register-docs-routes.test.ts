import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BerthError } from '@berth/kit';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { registerDocsRoutes } from './register-docs-routes.ts';

const API = 'http://localhost:8787';

function open(folder?: string) {
  const api = new Hono();
  api.onError((error, c) => c.text(error.message, (BerthError.is(error) ? error.status : 500) as 404));
  registerDocsRoutes(api, API, folder);
  return (route: string) => api.request(`${API}${route}`);
}

// Fails when a page is not listed, or a link of the index leads nowhere.
it('lists every guide of the repository, and serves each page as Markdown', async () => {
  const get = open();
  const index = await get('/llms.txt');
  expect(index.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await index.text();
  expect(text).toMatch(/^# Berth\n\n> /);
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link.slice(API.length));
  expect(links).toContain('/docs/guides/mcp.md');
  expect(links).toContain('/docs/api.md');
  for (const link of links) {
    const page = await get(link);
    expect(page.status, link).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await page.text(), link).toContain('# ');
  }
});

// Fails when a path is joined with the folder before it is looked up.
it('serves nothing but the pages', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-docs-'));
  mkdirSync(path.join(folder.path, 'docs/guides'), { recursive: true });
  writeFileSync(path.join(folder.path, 'secret.md'), 'secret');
  writeFileSync(path.join(folder.path, 'docs/guides/a.md'), '# A page\n\nSays [something](b.md). More.\n');
  writeFileSync(path.join(folder.path, 'docs/guides/data.json'), '{}');
  const get = open(path.join(folder.path, 'docs'));
  expect(await (await get('/llms.txt')).text()).toContain(`- [A page](${API}/docs/guides/a.md): Says something.\n`);
  for (const name of [
    '../secret.md',
    '..%2Fsecret.md',
    '%2e%2e/secret.md',
    'guides/data.json',
    'guides/',
    '',
    'guides/%61.md/',
  ]) {
    expect((await get(`/docs/${name}`)).status, name).toBe(404);
  }
});

it('registers nothing where there is no documentation', async () => {
  expect((await open('/nonexistent')('/llms.txt')).status).toBe(404);
});
