import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSystemClock } from '@berth/kit';
import { afterEach, expect, test } from 'vitest';
import { createFrontServer } from '../front/create-front-server.ts';
import { createSocketHandlers } from './create-socket-handlers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-socket-'));
const socketPath = path.join(folder, 'api.sock');
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(socketPath, { force: true });
});

async function serveApi(listener: RequestListener): Promise<Server> {
  rmSync(socketPath, { force: true });
  const server = createServer(listener).listen(socketPath);
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

async function openFront(): Promise<(text: string, onData?: () => void) => Promise<string>> {
  const handlers = createSocketHandlers({ socketPath, clock: createSystemClock() });
  const front = createFrontServer({
    onRequest: handlers.handleRequest,
    onUpgrade: (_request, socket) => socket.destroy(),
  });
  front.server.listen(0, '127.0.0.1');
  await once(front.server, 'listening');
  closing.push(() => front.close());
  const { port } = front.server.address() as { port: number };
  return async (text, onData = () => {}) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('data: 1')) onData();
    });
    socket.on('error', () => {});
    socket.write(text);
    await once(socket, 'close');
    return answer;
  };
}

const request = (line: string, headers = '', body = '') =>
  `${line} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n${headers}\r\n${body}`;

test('requests go through as they are, with where they came from', async () => {
  await serveApi((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk) => {
      body += chunk;
    });
    incoming.on('end', () => {
      response.writeHead(201, { 'X-Own': 'yes' });
      response.end(
        `${incoming.method} ${incoming.url} ${incoming.headers.host} ${incoming.headers['x-forwarded-for']} ${body}`,
      );
    });
  });
  const exchange = await openFront();
  const answer = await exchange(
    request('POST /v1/deploy?x=1', 'X-Forwarded-For: 9.9.9.9\r\nContent-Length: 3\r\n', 'abc'),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  expect(answer).toContain('X-Own: yes');
  expect(answer).toContain('POST /v1/deploy?x=1 api.test 9.9.9.9, 127.0.0.1 abc');
});

test('while nobody listens the answer is 503 in JSON that says to try again, and then it works again', async () => {
  const exchange = await openFront();
  const refused = await exchange(request('POST /v1/deploy', 'Content-Length: 3\r\n', 'abc'));
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toContain('berth-reason: control_plane_away');
  expect(refused).toContain('Retry-After: 1');
  expect(refused).toMatch(/\{"detail":"Berth's control plane is restarting/);
  await serveApi((_incoming, response) => void response.end('back'));
  expect(await exchange(request('GET /v1/me'))).toContain('back');
});

test('one that ends in the middle of a request is 502, unless the request may be repeated', async () => {
  let requests = 0;
  await serveApi((incoming, response) => {
    requests++;
    if (requests === 1 || incoming.method === 'POST') incoming.socket.destroy();
    else response.end('second');
  });
  const exchange = await openFront();
  expect(await exchange(request('GET /v1/me'))).toContain('second');
  const broken = await exchange(request('POST /v1/deploy'));
  expect(broken).toMatch(/^HTTP\/1\.1 502 /);
  expect(broken).toContain('control_plane_broke_off');
  expect(requests).toBe(3);
});

test('an answer that goes on is passed on as it comes', async () => {
  let end: (() => void) | undefined;
  await serveApi((_incoming, response) => {
    response.write('data: 1\n\n');
    end = () => response.end();
  });
  const exchange = await openFront();
  const answer = exchange(request('GET /v1/logs'), () => end?.());
  expect(await answer).toContain('data: 1');
});

test("the platform's own programs are sent its cookies, and set them", async () => {
  let cookie: string | undefined;
  await serveApi((incoming, response) => {
    cookie = incoming.headers.cookie;
    response.setHeader('Set-Cookie', 'berth_session=next; Path=/; HttpOnly');
    response.end();
  });
  const exchange = await openFront();
  const answer = await exchange(request('GET /v1/user', 'Cookie: a=1; berth_session=now\r\n'));
  expect(cookie).toBe('a=1; berth_session=now');
  expect(answer).toContain('Set-Cookie: berth_session=next; Path=/; HttpOnly\r\n');
});
