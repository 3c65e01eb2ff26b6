import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createAccount, createKey } from '../harness/accounts.ts';
import { type Berth, REPO } from '../harness/berth.ts';
import { cli } from '../harness/cli.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { nodeProject } from '../harness/project-files.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const PROTOCOL = 'berth.tcp.v1';

/**
 * A service with ports on its loopback alone: 7001 sends back what it gets, and "bye" after the client's end; 7002 sends 8 MB and ends;
 * 7003 never reads.
 */
const SERVICE = nodeProject(`
  import { createServer } from 'node:http';
  import net from 'node:net';
  net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => socket.write(chunk));
    socket.on('end', () => socket.end('bye'));
  }).listen(7001, '127.0.0.1');
  net.createServer((socket) => socket.on('error', () => {}).end(Buffer.alloc(8_000_000, 'x'))).listen(7002, '127.0.0.1');
  net.createServer((socket) => socket.on('error', () => {}).pause()).listen(7003, '127.0.0.1');
  createServer((_, response) => response.end('ok')).listen(process.env.PORT, '0.0.0.0');
`);

async function serve(berth: Berth): Promise<string> {
  const name = uniqueName('proxy');
  await deployed(berth, name, { files: SERVICE });
  return name;
}

/** Runs `berth proxy` until it is disposed of. */
async function openProxy(berth: Berth, name: string, port: number) {
  const words = [path.join(REPO, 'apps/cli/bin/berth.js'), 'proxy', name, String(port), '--local', '0', '--json'];
  const env = { ...process.env, BERTH_URL: berth.url, BERTH_API_KEY: berth.key };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const first = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.trimEnd().endsWith('}')) resolve(said);
    });
    void exited.then((code) => reject(new Error(`berth proxy ended with ${code}: ${stderr}`)));
  });
  return {
    localPort: (JSON.parse(first) as { local_port: number }).local_port,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT');
      expect(await exited).toBe(0);
    },
  };
}

const dial = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => resolve(socket)).once(
      'error',
      reject,
    );
  });

/** Opens a connection by the API. Returns its messages as text; bytes as `<text>`. */
async function openTunnel(berth: Berth, name: string, query: string, key = berth.key) {
  const url = `${berth.url.replace(/^http/, 'ws')}/v1/deployment/${name}/tcp?${query}`;
  const socket = new WebSocket(url, PROTOCOL, { headers: { 'X-API-Key': key } });
  const messages: string[] = [];
  socket.on('message', (data: Buffer, isBinary) => messages.push(isBinary ? `<${data}>` : String(data)));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, messages, closed };
}

/** Returns a length when it no longer changes. */
async function untilStill(lengthOf: () => number): Promise<number> {
  const lengths = [lengthOf()];
  const isStill = () => lengths.push(lengthOf()) > 2 && lengths.at(-1) === lengths.at(-2);
  await waitFor('what is sent waits', isStill, { everyMs: 500 });
  return lengthOf();
}

/** Returns the entries of connections to a service, oldest first. */
async function readAudit(berth: Berth, name: string) {
  const answer = await berth.api(`/v1/user/audit?action=proxy&target=${name}`);
  return ((await answer.json()) as { entries: { action: string; details: object }[] }).entries.toReversed();
}

describe.each([
  ['one process', {}],
  ['a control process and a worker', { BERTH_GATEWAY_WORKERS: '1' }],
])('ports of instances: %s', (_name, env) => {
  const berth = useBerth({ env });

  it('a local port reaches a port of an instance, with each direction by itself and as fast as the slower side', async () => {
    const name = await serve(berth);
    await using echo = await openProxy(berth, name, 7001);
    const [first, second] = await Promise.all([dial(echo.localPort), dial(echo.localPort)]);
    const received = [text(first), text(second)];
    first.end('x'.repeat(3_000_000));
    second.end('two');
    expect((await received[0])?.length).toBe(3_000_003);
    expect(await received[1]).toBe('twobye');
    await using big = await openProxy(berth, name, 7002);
    const slow = await dial(big.localPort);
    slow.pause();
    expect((await text(slow)).length).toBe(8_000_000);
    slow.destroy();
    // A program that doesn't read: what is sent waits, and fills no memory.
    await using deaf = await openProxy(berth, name, 7003);
    const sender = await dial(deaf.localPort);
    sender.on('error', () => {});
    for (let sent = 0; sent < 64; sent++) sender.write(Buffer.alloc(2 ** 20));
    expect(await untilStill(() => sender.writableLength)).toBeGreaterThan(2 ** 25);
    sender.destroy();
  });

  // Fails when only a message tells that a client has gone: none is read while those before it wait.
  it('a client that leaves while the program reads nothing is noticed', async () => {
    const name = await serve(berth);
    const { socket } = await openTunnel(berth, name, 'port=7003');
    for (let sent = 0; sent < 2_048; sent++) socket.send(Buffer.alloc(2 ** 15));
    const read = async () => (await readAudit(berth, name)).map(({ action }) => action);
    await waitFor('it is connected', async () => (await read()).length === 1);
    expect(await untilStill(() => socket.bufferedAmount)).toBeGreaterThan(0);
    socket.terminate();
    await waitFor('its end', async () => (await read()).length === 2, { timeoutMs: 15_000 });
  });

  it('the audit log has each connection with its port and its bytes, and no data', async () => {
    const name = await serve(berth);
    const tunnel = await openTunnel(berth, name, 'port=7001');
    tunnel.socket.send(Buffer.from('canary'));
    tunnel.socket.send(JSON.stringify({ type: 'end' }));
    await tunnel.closed;
    expect(tunnel.messages[0]).toMatch(/"type":"open","instance":"inst_/);
    expect(tunnel.messages.slice(1).join('').replaceAll('><', '')).toBe('<canarybye>{"type":"end"}');
    await waitFor('both entries', async () => (await readAudit(berth, name)).length === 2);
    const entries = await readAudit(berth, name);
    expect(entries).toMatchObject([
      { action: 'proxy.start', details: { port: 7001, instance: expect.stringMatching(/^inst_/) } },
      { action: 'proxy.end', details: { bytes_received: 6, bytes_sent: 9, duration_ms: expect.any(Number) } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('canary');
  });

  it('reaches no port of the machine, of the platform, or of another tenant', async () => {
    const name = await serve(berth);
    const onHost = createServer((socket) => socket.end('the host'));
    await new Promise<void>((resolve) => onHost.listen(0, '0.0.0.0', resolve));
    const host = (onHost.address() as { port: number }).port;
    const idle = uniqueName('idle');
    await deployed(berth, idle, {
      files: nodeProject(
        `import { createServer } from 'node:http'; createServer((_, r) => r.end()).listen(process.env.PORT);`,
      ),
    });
    for (const [service, port] of [
      [name, host],
      [name, berth.port],
      [name, 22],
      [idle, 7001],
    ] as const) {
      const refused = await openTunnel(berth, service, `port=${port}`);
      await refused.closed;
      expect(refused.messages).toEqual([expect.stringContaining('"code":"port_not_open"')]);
    }
    onHost.close();
    const shown = await cli(berth, ['proxy', name, '70000']);
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('1–65535') });
    await using closed = await openProxy(berth, name, 7009);
    const socket = await dial(closed.localPort);
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('close', resolve));
    await waitFor('the reason', async () => closed.stderr().includes('listens on port 7009'));
  });

  it('is refused without the scope, to another account, and without a handshake', async () => {
    const name = await serve(berth);
    const key = await createKey(berth, { scopes: ['read', 'deploy', 'logs', 'volumes'] });
    const other = await createAccount(berth, uniqueName('other'));
    await expect(openTunnel(berth, name, 'port=7001', key.secret)).rejects.toThrow('403');
    await expect(openTunnel(berth, name, 'port=7001', other.key)).rejects.toThrow(/40[34]/);
    await expect(openTunnel(berth, 'no-such-service', 'port=7001')).rejects.toThrow('404');
    await expect(openTunnel(berth, name, 'port=0')).rejects.toThrow('422');
    expect((await berth.api(`/v1/deployment/${name}/tcp?port=7001`)).status).toBe(400);
    expect((await cli(berth, ['proxy', 'no-such-service', '7001'])).code).toBe(1);
  });

  it('a connection ends with its deployment, and at most fifty are open at once', async () => {
    const name = await serve(berth);
    const open: Awaited<ReturnType<typeof openTunnel>>[] = [];
    // Connections of the tests before may still be ending.
    const isFull = async () => {
      const more = openTunnel(berth, name, 'port=7003').then((tunnel) => open.push(tunnel) === 0);
      return more.catch(({ message }: Error) => message.includes('429'));
    };
    await waitFor('the limit', isFull);
    expect(open.length).toBeLessThanOrEqual(50);
    expect(open.length).toBeGreaterThan(40);
    await waitFor('all are connected', () => open.every(({ messages }) => messages[0]?.includes('open')));
    expect((await berth.post('/v1/deployment/delete', { name })).ok).toBe(true);
    await Promise.all(open.map(({ closed }) => closed));
  });
});
