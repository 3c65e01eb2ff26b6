import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { continueOnRead } from './continue-on-read.ts';

const server = createServer();
server.on('checkContinue', (request, response) => {
  continueOnRead(request, response);
  if (request.url === '/refused') response.writeHead(401).end('no');
  else {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on('end', () => response.end(`read ${size}`));
  }
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function exchange(path: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n`);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
    if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('body');
    else if (text.includes('read 4')) socket.end();
  });
  await once(socket, 'close');
  return text;
}

it('lets a body come when it is read', async () => {
  expect(await exchange('/read')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
});

it('asks for no body that is not read, and closes', async () => {
  expect(await exchange('/refused')).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n[\s\S]*Connection: close/);
});
