import { execFile } from 'node:child_process';
import { cpSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { needs } from '../harness/needs.ts';
import { hostOf, request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { openServiceSocket } from '../harness/web-socket.ts';

const berth = useBerth();

/** Deploys `examples/<name>` with a form, as curl would, under its own name. */
const deployExample = (name: string) => deployed(berth, name, { folder: path.join(REPO, 'examples', name) });

describe('the example', () => {
  it('hello-node answers browsers with a page and programs with JSON', async () => {
    const { last } = await deployExample('hello-node');
    const json = (await request(berth, 'hello-node')).json<Record<string, unknown>>();
    expect(json).toMatchObject({ message: 'Hello from Berth', name: 'hello-node', revision: last.revision });
    const page = await request(berth, 'hello-node', '/', { headers: { Accept: 'text/html,*/*' } });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.text).toContain(String(last.revision));
    expect((await request(berth, 'hello-node', '/missing')).status).toBe(404);
  });

  it('static-site is served with its types', async () => {
    await deployExample('static-site');
    const home = await request(berth, 'static-site');
    expect(home.text).toContain('<title>Tide table</title>');
    expect(home.headers['content-type']).toMatch(/^text\/html/);
    const style = await request(berth, 'static-site', '/style.css');
    expect(style.headers['content-type']).toMatch(/^text\/css/);
    expect((await request(berth, 'static-site', '/about.html')).status).toBe(200);
    expect((await request(berth, 'static-site', '/nothing.html')).status).toBe(404);
    for (const attack of ['/../../etc/passwd', '/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd']) {
      expect((await request(berth, 'static-site', attack)).text).not.toContain('root:');
    }
  });

  it('hello-python answers', async (context) => {
    await needs(context, 'python');
    await deployExample('hello-python');
    const answer = (await request(berth, 'hello-python', '/?name=Ada')).json();
    expect(answer).toMatchObject({ message: 'Hello, Ada', service: 'hello-python' });
  });

  it('fastapi answers, and keeps its notes', async (context) => {
    await needs(context, 'python', 'pypi');
    await deployExample('fastapi');
    expect((await request(berth, 'fastapi')).json()).toMatchObject({ message: 'Hello from FastAPI' });
    const headers = { 'Content-Type': 'application/json' };
    const added = await request(berth, 'fastapi', '/notes', { method: 'POST', headers, body: '{"text":"buy rope"}' });
    expect(added.status).toBe(201);
    expect((await request(berth, 'fastapi', '/notes/1')).json()).toMatchObject({ text: 'buy rope' });
    const wrong = await request(berth, 'fastapi', '/notes', { method: 'POST', headers, body: '{}' });
    expect(wrong.status).toBe(422);
  });

  it('go-http answers', async (context) => {
    await needs(context, 'go');
    await deployExample('go-http');
    expect((await request(berth, 'go-http', '/hello/Ada')).json()).toMatchObject({ message: 'Hello, Ada' });
  });

  it('grpc-node answers its own client, once and as a stream', async (context) => {
    await needs(context, 'npm');
    const folder = path.join(REPO, 'examples/grpc-node');
    await deployed(berth, 'grpc-node', { folder, fields: { use_http2: 'true' } });
    using copy = mkdtempDisposableSync(path.join(tmpdir(), 'berth-grpc-'));
    cpSync(folder, copy.path, { recursive: true });
    const run = (...argv: readonly [string, ...string[]]) =>
      promisify(execFile)(argv[0], argv.slice(1), { cwd: copy.path });
    await run('npm', 'ci', '--no-audit', '--no-fund');
    const { stdout } = await run(process.execPath, 'client.js', `127.0.0.1:${berth.port}`, hostOf(berth, 'grpc-node'));
    const heights = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(heights).toHaveLength(6);
    expect(heights[5]).toMatchObject({ place: 'Dover', step: 4 });
  });

  it('websocket-chat, deployed from the command line, brings people together', async (context) => {
    await needs(context, 'npm');
    const folder = path.join(REPO, 'examples/websocket-chat');
    const result = await cli(berth, ['deploy', folder, '--max-instances', '1']);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toContain(`http://websocket-chat.localhost:${berth.port}`);
    expect((await request(berth, 'websocket-chat')).text).toContain('<title>Chat</title>');

    const read = async (socket: Awaited<ReturnType<typeof openServiceSocket>>) => {
      const frame = await socket.next();
      return 'text' in frame ? JSON.parse(frame.text) : frame;
    };
    using ada = await openServiceSocket(berth, 'websocket-chat', '/room?name=Ada');
    expect(await read(ada)).toMatchObject({ type: 'joined', name: 'Ada', people: 1 });
    using alan = await openServiceSocket(berth, 'websocket-chat', '/room?name=Alan');
    expect(await read(alan)).toMatchObject({ type: 'joined', name: 'Alan', people: 2 });
    expect(await read(ada)).toMatchObject({ type: 'joined', name: 'Alan' });
    await alan.send('hello');
    for (const socket of [ada, alan]) {
      expect(await read(socket)).toMatchObject({ type: 'said', name: 'Alan', text: 'hello' });
    }
  });
});
