import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { script, server, start } from '@berth/runtime/contract';
import { findExecutable, SYSTEM_PROGRAM_FOLDERS } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createLevels } from './testing/levels.ts';
import { createMachine, type Machine } from './testing/machine.ts';
import { createProcessHarness, type ProcessHarness } from './testing/process-harness.ts';

/** Connects to each address of `?to=` and says what came of it. */
const CALLER = script(`
  const net = require('node:net');
  const connect = (to) => new Promise((resolve) => {
    const at = to.lastIndexOf(':');
    const socket = net.connect({ host: to.slice(0, at), port: Number(to.slice(at + 1)), timeout: 1500 });
    socket.on('connect', () => { socket.destroy(); resolve('connected'); });
    socket.on('timeout', () => { socket.destroy(); resolve('timeout'); });
    socket.on('error', (error) => resolve(error.code));
  });
  require('node:http').createServer(async (request, response) => {
    const to = new URL(request.url, 'http://x').searchParams.getAll('to');
    response.end(JSON.stringify(Object.fromEntries(await Promise.all(to.map(async (one) => [one, await connect(one)])))));
  }).listen(Number(process.env.PORT), '0.0.0.0');
`);

const ip = findExecutable('ip', SYSTEM_PROGRAM_FOLDERS);
const isRoot = process.getuid?.() === 0;

for (const { name, machine } of await createLevels()) {
  const { networks } = machine.confinement;
  afterAll(() => machine[Symbol.asyncDispose]());

  // A machine that has none of them is told so by its capabilities.
  describe.skipIf(!networks.isIsolated)(`networks: ${name} (${networks.problem ?? 'isolated'})`, () => {
    let harness: ProcessHarness | undefined;
    let other: Machine | undefined;
    const open = async (): Promise<ProcessHarness> => (harness ??= await createProcessHarness(machine));
    afterEach(async () => {
      await harness?.[Symbol.asyncDispose]();
      harness = undefined;
      await other?.[Symbol.asyncDispose]();
      other = undefined;
    });
    const call = async (get: (path: string) => Promise<unknown>, targets: readonly string[]) =>
      (await get(`/?${targets.map((to) => `to=${encodeURIComponent(to)}`).join('&')}`)) as Record<string, string>;
    const expectRefused = (results: Record<string, string>, targets: readonly string[]): void => {
      expect(Object.keys(results).sort()).toEqual([...targets].sort());
      expect(Object.entries(results).filter(([, outcome]) => outcome === 'connected')).toEqual([]);
    };

    test('a service listens on the port that it was declared with, a low one and one that others have too', async () => {
      const opened = await open();
      const program = server({ '/': 'return process.env.PORT' });
      const both = await Promise.all([80, 80, 8080].map((port) => start(opened, program, { port })));
      expect(await Promise.all(both.map(({ get }) => get('/')))).toEqual(['80', '80', '8080']);
    });

    test('a port that the program chose itself is served when it was declared', async () => {
      const opened = await open();
      const fixed = server({ '/': `return 'fixed'` });
      const files = { 'main.js': (fixed.files['main.js'] ?? '').replace('process.env.PORT', '3000') };
      const { get } = await start(opened, { ...fixed, files }, { port: 3000 });
      expect(await get('/')).toBe('fixed');
    });

    // Fails when the filter lets through what goes to other programs, or when both are in one network.
    test('no program reaches another, of its own account, of another, or of another server', async () => {
      const opened = await open();
      const victim = await start(opened, server({ '/': `return 'secret'` }), {
        owner: { account: 'other', deployment: 'victim' },
      });
      expect(await victim.get('/')).toBe('secret');
      other = await createMachine();
      await using elsewhere = await createProcessHarness(other);
      const foreign = await start(elsewhere, server({ '/': `return 'secret'` }));
      expect(await foreign.get('/')).toBe('secret');
      const { get } = await start(opened, CALLER);
      const targets = [victim, foreign].map(({ instance: { address } }) => `${address.host}:${address.port}`);
      expectRefused(await call(get, targets), targets);
    });

    // Fails when the filter's input chain accepts: a listener of this machine is reached on the address of the link.
    test("this machine's listeners are out of reach, on every address it has", async () => {
      const opened = await open();
      let reached = 0;
      const listener = createServer((socket) => {
        reached += 1;
        socket.on('error', () => {}).destroy();
      });
      listener.listen(0, '::');
      await once(listener, 'listening');
      const { port } = listener.address() as { port: number };
      const { get } = await start(opened, CALLER);
      const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
      const addresses = own.map(({ address, scopeid }) => (scopeid ? `${address}%eth0` : address));
      const targets = [...new Set([...addresses, '127.0.0.1', '::1', '::ffff:127.0.0.1', '198.18.0.0', '0.0.0.0'])].map(
        (address) => `${address}:${port}`,
      );
      expectRefused(await call(get, targets), targets);
      expect(reached).toBe(0);
      listener.close();
    });

    test("a cloud's metadata service and blocked ranges are out of reach, what lies beside them is not", async () => {
      if (!isRoot || ip === undefined) return;
      const link = `bt${process.pid}`;
      const inside = `${link}n`;
      // A host behind this machine, with the addresses of metadata services, of a blocked network and of the internet.
      const addresses = ['169.254.170.2', '100.100.100.200', '203.0.113.7', '198.51.100.7'];
      const run = (...args: string[]) => execFileSync(ip, args, { stdio: 'pipe' });
      run('netns', 'add', inside);
      other = await createMachine({ overrides: { blockedRanges: ['203.0.113.0/24', 'fd00::/8'] } });
      try {
        run('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', inside);
        run('addr', 'add', '192.0.2.200/31', 'dev', link);
        run('link', 'set', link, 'up');
        run('-n', inside, 'link', 'set', 'lo', 'up');
        run('-n', inside, 'addr', 'add', '192.0.2.201/31', 'dev', 'eth0');
        run('-n', inside, 'link', 'set', 'eth0', 'up');
        run('-n', inside, 'route', 'add', 'default', 'via', '192.0.2.200');
        for (const address of addresses) {
          run('-n', inside, 'addr', 'add', `${address}/32`, 'dev', 'lo');
          run('route', 'add', `${address}/32`, 'via', '192.0.2.201');
        }
        const listener = execProgram(ip, inside);
        await once(listener.stdout as never, 'data');
        await using elsewhere = await createProcessHarness(other);
        const { get } = await start(elsewhere, CALLER);
        const results = await call(
          get,
          addresses.map((address) => `${address}:80`),
        );
        // The control: the same host on an address of the internet.
        expect(results['198.51.100.7:80']).toBe('connected');
        delete results['198.51.100.7:80'];
        expectRefused(
          results,
          addresses.slice(0, 3).map((address) => `${address}:80`),
        );
        listener.kill('SIGKILL');
      } finally {
        // The routes go with the link, at once.
        run('link', 'del', link);
        run('netns', 'del', inside);
      }
    });

    test('a port of this machine that the operator names is reached on loopback, the next one is not', async () => {
      const listener = createServer((socket) => socket.on('error', () => {}).destroy()).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as { port: number };
      const hidden = createServer(() => {}).listen(0, '127.0.0.1');
      await once(hidden, 'listening');
      const { port: hiddenPort } = hidden.address() as { port: number };
      other = await createMachine({ overrides: { hostPorts: [port] } });
      await using elsewhere = await createProcessHarness(other);
      const { get } = await start(elsewhere, CALLER);
      const targets = [`127.0.0.1:${port}`, `127.0.0.1:${hiddenPort}`];
      const results = await call(get, targets);
      expect(results[targets[0] ?? '']).toBe('connected');
      expect(results[targets[1] ?? '']).not.toBe('connected');
      for (const one of [listener, hidden]) one.close();
    });

    test('a build has a network of its own, too', async () => {
      const opened = await open();
      const victim = await start(opened, server({ '/': `return 1` }));
      expect(await victim.get('/')).toBe(1);
      const { host, port } = victim.instance.address;
      const folder = await opened.makeFolder();
      const owner = { account: 'other', deployment: 'builder' };
      await opened.sandbox.giveToOwner(folder, owner);
      const lines: string[] = [];
      const source = `require('node:net').connect(${port}, '${host}').on('connect', () => { console.log('connected'); process.exit(); }).on('error', (error) => console.log(error.code))`;
      await opened.sandbox.run({
        ...{
          owner,
          argv: ['node', '-e', source],
          workingFolder: folder,
          env: {},
          writableFolders: [folder],
          readableFolders: [],
        },
        limits: {
          ...{ timeoutMs: 20_000, memoryBytes: 2 ** 29, cpuMillis: 1_000, processes: 100 },
          ...{ outputBytes: 2 ** 20, diskBytes: 2 ** 20 },
        },
        onLine: (line) => void lines.push(line),
      });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^E/);
    });

    // Fails when only the namespace is deleted: the kernel takes its link away later, and the name is taken until then.
    test('networks that were given back are made again at once', async () => {
      const opened = await open();
      const { networks: own } = opened.confinement;
      for (let round = 0; round < 3; round++) {
        const taken = await Promise.all(Array.from({ length: 6 }, () => own.take(8080)));
        expect(new Set(taken.map(({ address }) => `${address.host}:${address.port}`)).size).toBe(6);
        await Promise.all(taken.map((one) => one.release()));
      }
      const machines = await Promise.all([createMachine(), createMachine()]);
      for (const one of machines) expect(one.confinement.networks.isIsolated).toBe(true);
      await Promise.all(machines.map((one) => one[Symbol.asyncDispose]()));
    });

    // Fails when a link's end on this machine has an address, or makes itself one: browsers on it then lose their connections.
    test('this machine gets and loses no address when a program starts and ends', async (context) => {
      if (!networks.hasOwnAddresses || ip === undefined) context.skip('by design: pasta makes nothing on this machine');
      const opened = await open();
      const { instance, get } = await start(opened, server({ '/': 'return 1' }));
      expect(await get('/')).toBe(1);
      const run = (...args: string[]) => execFileSync(ip ?? '', args, { encoding: 'utf8' });
      const link = / dev (berth\S+) /.exec(run('route', 'get', instance.address.host))?.[1] ?? '';
      expect(link).not.toBe('');
      expect(run('-o', 'addr', 'show', 'dev', link)).toBe('');
    });

    test('nothing of a network is left when its server has closed', async () => {
      const before = listNetworks();
      const brief = await createMachine();
      const own = await createProcessHarness(brief);
      await start(own, server({ '/': 'return 1' }));
      expect(listNetworks()).toHaveLength(before.length + 1);
      await own[Symbol.asyncDispose]();
      await brief[Symbol.asyncDispose]();
      expect(listNetworks()).toEqual(before);
    });
  });
}

describe('a network that all programs share', () => {
  test('who listens on the port of another makes nobody ready, and who takes hundreds of ports is ended', async () => {
    await using machine = await createMachine({ overrides: { networks: 'shared' } });
    await using harness = await createProcessHarness(machine);
    const silent = await start(harness, script('setInterval(() => {}, 1000)'));
    const { host, port } = silent.instance.address;
    // Another tenant's program, which was faster.
    await using squatter = createServer((socket) => socket.on('error', () => {}).destroy()).listen(port, host);
    await once(squatter, 'listening');
    // Fails when ready is whoever accepts a connection.
    expect(await silent.instance.isListening?.()).toBe(false);
    const good = await start(harness, server({ '/': 'return 1' }));
    expect(await good.get('/')).toBe(1);
    expect(await good.instance.isListening?.()).toBe(true);
    const greedy = await start(
      harness,
      script(`for (let n = 0; n < 150; n++) require('node:net').createServer().listen(0, '127.0.0.1');`),
    );
    expect(await greedy.instance.exited).toMatchObject({ signal: 'SIGKILL', isRequested: false });
    expect(greedy.output.stderr).toContain('listened on more than 100 ports');
    expect(await good.get('/')).toBe(1);
  });
});

/** Listens on port 80 in a network namespace; says so. */
function execProgram(ipPath: string, namespace: string): ChildProcess {
  const source = `require('node:net').createServer((socket) => socket.on('error', () => {}).destroy()).listen(80, () => console.log('up'))`;
  return spawn(ipPath, ['netns', 'exec', namespace, process.execPath, '-e', source], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Slices of addresses that this process holds; other tests run beside it in theirs. */
function listNetworks(): string[] {
  const isOwn = (name: string) => readIfThere(`/run/berth/${name}`).includes(`"pid":${process.pid},`);
  try {
    return readdirSync('/run/berth').filter((name) => name.startsWith('network-') && isOwn(name));
  } catch {
    return [];
  }
}
