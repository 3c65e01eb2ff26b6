import { once } from 'node:events';
import { connect } from 'node:net';
import { createSilentLogger } from '@berth/kit';
import { describe, expect, it } from 'vitest';
import { createProcessPort } from '../workers/process-port.ts';
import { openPeerNetwork, type PeerLink } from './peer-link.ts';

const KEY = new Uint8Array(32).fill(1);
const open = async (id: string, key = KEY) => {
  const network = await openPeerNetwork({ id, host: '127.0.0.1', port: 0, key, logger: createSilentLogger() });
  const links: PeerLink[] = [];
  network.onLink((link) => links.push(link));
  return {
    ...{ network, links, peer: { id, address: `127.0.0.1:${network.port}` } },
    [Symbol.asyncDispose]: () => network.close(),
  };
};

describe('the connection of two gateways', () => {
  it('carries several channels both ways, in order, whatever the sizes', async () => {
    await using a = await open('a');
    await using b = await open('b');
    const received: unknown[] = [];
    b.network.onLink((link) => {
      const echo = createProcessPort<unknown, unknown>(link, 'echo');
      echo.onMessage((message) => echo.post(message));
      createProcessPort(link, 'other').onMessage((message) => received.push(message));
    });
    const link = await a.network.dial(b.peer);
    const echo = createProcessPort<unknown, unknown>(link, 'echo');
    const all = Promise.withResolvers<void>();
    const echoed: unknown[] = [];
    echo.onMessage((message) => {
      echoed.push(message);
      if (echoed.length === 101) all.resolve();
    });
    createProcessPort(link, 'other').post('beside it');
    const sent = [...Array.from({ length: 100 }, (_, number) => ({ number, text: 'ä\n' })), 'x'.repeat(2_000_000)];
    for (const message of sent) echo.post(message);
    await all.promise;
    expect(echoed).toEqual(sent);
    expect(received).toEqual(['beside it']);
  });

  // Fails when a program in the cluster's network can speak as a gateway.
  it('is refused with another key, and by another gateway at the same address', async () => {
    await using a = await open('a');
    await using b = await open('b');
    await using stranger = await open('s', new Uint8Array(32).fill(2));
    await expect(stranger.network.dial(b.peer)).rejects.toThrow();
    await expect(a.network.dial({ ...b.peer, id: 'c' })).rejects.toThrow('is gateway b, not c');
    const plain = connect(b.network.port, '127.0.0.1', () => plain.write('{"protocol":1,"id":"x"}\n'));
    plain.on('error', () => {});
    await once(plain, 'close');
    expect(b.links).toEqual([]);
  });

  it('ends for both when one closes it', async () => {
    await using a = await open('a');
    await using b = await open('b');
    const link = await a.network.dial(b.peer);
    await expect.poll(() => b.links.length).toBe(1);
    const ended = once(b.links[0] as PeerLink as never, 'disconnect');
    link.close();
    await ended;
    expect(b.links[0]?.connected).toBe(false);
  });
});
