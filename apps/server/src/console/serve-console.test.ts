import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltPage, readBuiltPage } from './read-built-page.ts';
import { createServeConsole } from './serve-console.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-console-'));
const server = createServer();
let url = '';

beforeAll(async () => {
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), '<title>Berth</title>');
  writeFileSync(path.join(folder, 'assets/index-x1.js'), 'x'.repeat(5_000));
  writeFileSync(path.join(folder, 'built-from'), 'hash');
  const page = readBuiltPage(folder) as BuiltPage;
  const serve = createServeConsole({ page, connectSources: ['https://storage.test'] });
  server.on('request', (request, response) => {
    if (!serve(request, response)) response.writeHead(418).end('the API');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const ask = (route: string, init: RequestInit = {}) => fetch(url + route, init);
const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the console', () => {
  test.each(['/', '/keys', '/deployments/hello?tab=logs', '/v1x'])('is what a browser finds at %s', async (route) => {
    const answer = await ask(route, { headers: html });
    expect([answer.status, await answer.text()]).toEqual([200, '<title>Berth</title>']);
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self' https://storage.test");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*(?!\.)/);
  });

  test.each([
    ['/keys', 'GET', {}],
    ['/v1/keys', 'GET', html],
    ['/v1', 'GET', html],
    ['/oauth2/authorize', 'GET', html],
    ['/openapi.json', 'GET', html],
    ['/.well-known/x', 'GET', html],
    ['/assets/index-gone.js', 'GET', html],
    ['/built-from', 'GET', {}],
    ['/../package.json', 'GET', {}],
    ['/', 'POST', html],
  ])('leaves %s by %s to the API', async (route, method, headers) => {
    expect((await ask(route, { method, headers: headers as Record<string, string> })).status).toBe(418);
  });

  test('keeps hashed files for good, sends them compressed, and once', async () => {
    const answer = await ask('/assets/index-x1.js');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toHaveLength(5_000);
    const etag = answer.headers.get('etag') as string;
    const again = await ask('/assets/index-x1.js', { headers: { 'If-None-Match': `"a", ${etag}` } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const plain = await ask('/assets/index-x1.js', { headers: { 'Accept-Encoding': 'gzip;q=0' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const head = await ask('/', { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '20', '']);
  });

  test('is not there where it is not built', () => {
    expect(readBuiltPage(path.join(folder, 'assets'))).toBeUndefined();
  });
});
