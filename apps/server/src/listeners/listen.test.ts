import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isAddressMissing, listen, listenError } from './listen.ts';
import { answerText, refuseUpgrade } from './plain-answers.ts';

const handlers: Parameters<typeof listen>[1] = {
  onRequest: (_request, response) => answerText(response, 200, 'here'),
  onUpgrade: (_request, socket) => refuseUpgrade(socket, '400 Bad Request'),
};

async function ask(host: string, port: number): Promise<string> {
  const socket = connect(port, host);
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return text(socket).catch(() => 'refused');
}

/** Takes a port for the length of a test. */
async function occupy(host: string, port = 0) {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as { readonly port: number }).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const hasIPv6 = await occupy('::1').then(
  (taken) => taken[Symbol.asyncDispose]().then(() => true),
  () => false,
);

test('localhost is every loopback address of the machine, on one port, until it is closed', async () => {
  const listener = await listen({ host: 'localhost', port: 0 }, handlers);
  expect(await ask('127.0.0.1', listener.port)).toContain('here');
  if (hasIPv6) expect(await ask('::1', listener.port)).toContain('here');
  await listener.close();
  await listener.close();
  expect(await ask('127.0.0.1', listener.port)).toBe('refused');
});

test('one address is that address alone', async () => {
  const listener = await listen({ host: '127.0.0.1', port: 0 }, handlers);
  if (hasIPv6) expect(await ask('::1', listener.port)).toBe('refused');
  expect(await ask('127.0.0.1', listener.port)).toContain('here');
  await listener.close();
});

test('a port that is taken is an error that says so', async () => {
  await using taken = await occupy('127.0.0.1');
  await expect(listen({ host: '127.0.0.1', port: taken.port }, handlers)).rejects.toMatchObject({
    code: 'conflict',
    message: `Port ${taken.port} of 127.0.0.1 is in use by another program. Choose another port.`,
  });
});

// Fails when a taken second address is passed over as a missing one: half of the clients would reach another program.
test('a port that another program has on the second loopback address is taken, and the first one freed', async () => {
  // Without IPv6 there is no second address.
  if (!hasIPv6) return;
  await using taken = await occupy('::1');
  const { port } = taken;
  await expect(listen({ host: 'localhost', port }, handlers)).rejects.toThrow(`Port ${port} of ::1 is in use`);
  // Fails when the listener on the first address stays open.
  await using _free = await occupy('127.0.0.1', port);
});

test('an address that the machine lacks is named, with the flag to change', async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737).
  await expect(listen({ host: '192.0.2.1', port: 0 }, handlers)).rejects.toMatchObject({
    code: 'conflict',
    message: '192.0.2.1 is not an address of this machine. Choose another with --host.',
  });
});

test.each([
  ['EACCES', "This user can't listen on port 80. Choose a port from 1024 up.", false],
  ['EADDRNOTAVAIL', 'h is not an address of this machine. Choose another with --host.', true],
  ['EAFNOSUPPORT', 'Could not listen on h port 80 (EAFNOSUPPORT).', true],
  ['EMFILE', 'Could not listen on h port 80 (EMFILE).', false],
  [undefined, 'Could not listen on h port 80 (unknown error).', false],
])('%s is told as a sentence', (code, message, isMissing) => {
  const error = listenError(Object.assign(new Error('x'), code === undefined ? {} : { code }), 'h', 80);
  expect(error.message).toBe(message);
  expect(isAddressMissing(error)).toBe(isMissing);
});
