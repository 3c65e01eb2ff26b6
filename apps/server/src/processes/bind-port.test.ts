import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnDescriptor } from '../listeners/listen.ts';
import { bindPort } from './bind-port.ts';

it('holds a port on which another can listen', async () => {
  const bound = await bindPort({ host: '127.0.0.1', port: 0 });
  expect(bound.port).toBeGreaterThan(0);
  const refused = connect(bound.port, '127.0.0.1');
  expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' });
  const server = createServer((socket) => socket.end('hello'));
  await listenOnDescriptor(server, bound.descriptors[0] as number);
  const socket = connect(bound.port, '127.0.0.1');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  server.close();
});

it('takes both loopback addresses for localhost, on one port', async () => {
  const bound = await bindPort({ host: 'localhost', port: 0 });
  expect(bound.descriptors.length).toBeGreaterThan(0);
  bound.close();
  bound.close();
});

it('says what to do about a port that is taken', async () => {
  const other: Server = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(bindPort({ host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`Port ${port}`),
  });
  await expect(bindPort({ host: 'no-such-host.invalid', port: 0 })).rejects.toMatchObject({ code: 'conflict' });
  other.close();
});
