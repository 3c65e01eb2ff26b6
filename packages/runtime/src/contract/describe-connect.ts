import { createServer } from 'node:net';
import { createIdSource, type InstanceId } from '@berth/kit';
import { expect } from 'vitest';
import type { RuntimeContract } from './runtime-contract.ts';
import { OWNER, type RuntimeHarness, script } from './runtime-harness.ts';

/**
 * Returns a program with two ports on `host`: 7001 greets at once and then sends back in upper case what it gets, until the client's
 * end, which it answers with "bye"; 7002 ends at once and tells 7001's next client what it has received.
 */
const service = (host: string) =>
  script(`
  const net = require('node:net');
  let heard = '';
  net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.write('hello ' + heard + ';');
    socket.on('data', (chunk) => socket.write(String(chunk).toUpperCase()));
    socket.on('end', () => socket.end('bye'));
  }).listen(7001, '${host}', () => console.log('ready'));
  net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.end('over');
    socket.on('data', (chunk) => { heard += chunk; });
  }).listen(7002, '${host}');
`);

async function open({ runtime }: RuntimeHarness, instanceId: InstanceId, port: number, owner = OWNER) {
  const chunks: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  const connection = await runtime.connect(owner, instanceId, {
    port,
    output: (chunk) => void chunks.push(chunk),
    onEnd: ended.resolve,
  });
  const text = () => Buffer.concat(chunks).toString();
  return { ...connection, ended: ended.promise, text, send: (data: string) => connection.write(Buffer.from(data)) };
}

/** Defines the contract tests of connections to ports of an instance. */
export function describeConnect({ contractTest, run }: RuntimeContract): void {
  contractTest('connects to a port of an instance, and ends each direction by itself', async () => {
    const { harness, instance, output } = await run(service('0.0.0.0'));
    await expect.poll(() => output.stdout).toContain('ready');
    const half = await open(harness, instance.instanceId, 7002);
    await half.ended;
    expect(half.text()).toBe('over');
    await half.send('late');
    half.end();
    await half.closed;
    const first = await open(harness, instance.instanceId, 7001);
    // What the program says before it hears anything isn't lost.
    await expect.poll(first.text).toBe('hello late;');
    await first.send('abc');
    await expect.poll(first.text).toBe('hello late;ABC');
    first.end();
    await first.ended;
    expect(first.text()).toBe('hello late;ABCbye');
    await first.closed;
  });

  contractTest('connects to the loopback of an instance', async () => {
    const { harness, instance, output } = await run(service('127.0.0.1'));
    await expect.poll(() => output.stdout).toContain('ready');
    const connection = await open(harness, instance.instanceId, 7001);
    await expect.poll(connection.text).toBe('hello ;');
    connection.destroy();
  });

  contractTest('a connection ends with its instance, and with its client', async () => {
    const { harness, instance, output } = await run(service('0.0.0.0'));
    await expect.poll(() => output.stdout).toContain('ready');
    const left = await open(harness, instance.instanceId, 7001);
    left.destroy();
    await left.closed;
    await left.send('dropped');
    const kept = await open(harness, instance.instanceId, 7001);
    await instance.stop({ graceMs: 0 });
    await kept.closed;
  });

  contractTest('reaches no port of this machine, of another instance or of another owner', async () => {
    const { harness, instance, output } = await run(service('0.0.0.0'));
    const other = await run(script(`setInterval(() => {}, 1e3)`));
    await expect.poll(() => output.stdout).toContain('ready');
    const onHost = createServer((socket) => socket.end('the host'));
    await new Promise<void>((resolve) => onHost.listen(0, '0.0.0.0', resolve));
    const { port } = onHost.address() as { readonly port: number };
    try {
      for (const [id, wanted] of [
        [instance.instanceId, port],
        [other.instance.instanceId, 7001],
      ] as const) {
        await expect(open(harness, id, wanted)).rejects.toMatchObject({ code: 'port_not_open' });
      }
    } finally {
      onHost.close();
    }
    const ids = createIdSource();
    for (const [owner, id] of [
      [{ ...OWNER, account: 'other' }, instance.instanceId],
      [{ ...OWNER, deployment: 'other' }, instance.instanceId],
      [OWNER, ids.next<'instance'>('i')],
    ] as const) {
      await expect(open(harness, id, 7001, owner)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
}
