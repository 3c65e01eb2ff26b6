import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';

const SERVER = fileURLToPath(new URL('./static-server.mjs', import.meta.url));
const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';

const SITE: Readonly<Record<string, string>> = {
  'index.html': '<h1>home</h1>',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'docs/a b.txt': 'spaced',
  'app.js': 'x',
  'empty.txt': '',
  'data.bin': '0123456789',
  '404.html': 'lost',
  '.env': 'SECRET=1',
  'sub/.git/config': 'SECRET=1',
  '.well-known/security.txt': 'mailto:a@b',
  'empty-folder/x/y.txt': 'y',
};

let root: TemporaryFolder;
const started: ChildProcess[] = [];
let site: number;

/** Starts the server on a free port and waits until it accepts requests. */
async function serve(folder: string, ...flags: string[]): Promise<number> {
  const free = createServer().listen(0);
  await once(free, 'listening');
  const { port } = free.address() as { port: number };
  free.close();
  await once(free, 'close');
  const child = spawn(process.execPath, [SERVER, folder, ...flags], { env: { PORT: String(port) }, stdio: 'inherit' });
  started.push(child);
  for (let tries = 0; tries < 500; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect')
      .then(() => true)
      .catch(() => false);
    socket.destroy();
    if (isOpen) return port;
    await delay(10);
  }
  throw new Error('the static server did not start');
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Requests a path unchanged; fetch would normalize it. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', port = site): Promise<Answer> {
  const asked = request({ host: '127.0.0.1', port, path, headers, method }).end();
  const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

beforeAll(async () => {
  root = await createTemporaryFolder();
  const folder = join(root.path, 'site');
  for (const [path, content] of Object.entries(SITE)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await utimes(join(folder, 'data.bin'), new Date(MODIFIED), new Date(MODIFIED));
  await writeFile(join(root.path, 'outside.txt'), 'SECRET=1');
  await symlink('../outside.txt', join(folder, 'leak.txt'));
  await symlink('index.html', join(folder, 'inside.html'));
  site = await serve(folder);
});

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await root[Symbol.asyncDispose]();
});

describe('paths', () => {
  test.each([
    ['/', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/index.html', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/?a=/../b', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/about', 200, 'about', 'text/html; charset=utf-8'],
    ['/about.html', 200, 'about', 'text/html; charset=utf-8'],
    ['/docs/', 200, 'docs', 'text/html; charset=utf-8'],
    ['/docs/a%20b.txt', 200, 'spaced', 'text/plain; charset=utf-8'],
    ['//docs//', 200, 'docs', 'text/html; charset=utf-8'],
    ['/app.js', 200, 'x', 'text/javascript; charset=utf-8'],
    ['/empty.txt', 200, '', 'text/plain; charset=utf-8'],
    ['/data.bin', 200, '0123456789', 'application/octet-stream'],
    ['/inside.html', 200, '<h1>home</h1>', 'text/html; charset=utf-8'],
    ['/.well-known/security.txt', 200, 'mailto:a@b', 'text/plain; charset=utf-8'],
    ['/nothing', 404, 'lost', 'text/html; charset=utf-8'],
    ['/about.html/', 404, 'lost', 'text/html; charset=utf-8'],
    ['/empty-folder/', 404, 'lost', 'text/html; charset=utf-8'],
  ])('%s', async (path, status, body, type) => {
    expect(await get(path)).toMatchObject({ status, body, headers: { 'content-type': type } });
  });

  test.each([
    '/.env',
    '/sub/.git/config',
    '/%2eenv',
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/docs/../../outside.txt',
    '/leak.txt',
    '/app.js%00.html',
    '/%ff',
    '/%',
    '/..%5coutside.txt',
    `/${'a'.repeat(300)}`,
    'http://127.0.0.1/.env',
  ])('nothing leaks through %s', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('SECRET');
  });

  test('a folder without a trailing slash is redirected on the same host, whatever the path', async () => {
    expect(await get('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
    expect(await get('//docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
  });

  test('only GET and HEAD', async () => {
    expect(await get('/', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    const head = await get('/data.bin', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': '10' } });
  });
});

describe('conditions and ranges', () => {
  test('an unchanged file is not sent again', async () => {
    const { headers } = await get('/data.bin');
    expect(headers).toMatchObject({ 'last-modified': MODIFIED, 'x-content-type-options': 'nosniff' });
    const etag = String(headers['etag']);
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      expect(await get('/data.bin', { 'if-none-match': condition })).toMatchObject({ status: 304, body: '' });
    }
    expect((await get('/data.bin', { 'if-none-match': '"x"', 'if-modified-since': MODIFIED })).status).toBe(200);
    expect((await get('/data.bin', { 'if-modified-since': MODIFIED })).status).toBe(304);
    expect((await get('/data.bin', { 'if-modified-since': 'Wed, 31 Dec 2025 00:00:00 GMT' })).status).toBe(200);
    expect((await get('/data.bin', { 'if-modified-since': 'nonsense' })).status).toBe(200);
  });

  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, 'Range Not Satisfiable\n', 'bytes */10'],
    ['bytes=-0', 416, 'Range Not Satisfiable\n', 'bytes */10'],
    ['bytes=5-3', 200, '0123456789', undefined],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
  ])('%s', async (range, status, body, contentRange) => {
    const answer = await get('/data.bin', { range });
    expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([status, body, contentRange]);
  });

  test('a range of an outdated file gets the whole file', async () => {
    expect((await get('/data.bin', { range: 'bytes=0-1', 'if-range': '"old"' })).status).toBe(200);
    expect((await get('/data.bin', { range: 'bytes=0-1', 'if-range': MODIFIED })).status).toBe(206);
  });
});

test('a single-page site serves its page for every path without a file', async () => {
  const port = await serve(join(root.path, 'site'), '--single-page');
  expect(await get('/some/view', {}, 'GET', port)).toMatchObject({ status: 200, body: '<h1>home</h1>' });
  expect((await get('/missing.js', {}, 'GET', port)).status).toBe(404);
  expect((await get('/.env', {}, 'GET', port)).body).not.toContain('SECRET');
});

test('SIGTERM ends it with code 0', async () => {
  await serve(join(root.path, 'site'));
  const child = started.at(-1) as ChildProcess;
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
