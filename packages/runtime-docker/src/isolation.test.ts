import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Owner } from '@berth/runtime';
import { server, start } from '@berth/runtime/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bridgePrefix } from './network/networks.ts';
import { CONNECT, connectFromPlainContainer } from './testing/connect.ts';
import { createDockerHarness, type DockerHarness } from './testing/docker-harness.ts';
import { createOperatorsNetwork } from './testing/operators-network.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const ONE: Owner = { account: 'one', deployment: 'service' };
const SIBLING: Owner = { account: 'one', deployment: 'sibling' };
const OTHER: Owner = { account: 'other', deployment: 'service' };
/** The metadata service of every big cloud. */
const METADATA = '169.254.169.254';

const CONNECTING = server({ '/': `${CONNECT} return results;` });

/** Tries each target again and again for ten seconds. Answers which it got to. */
const REPEATEDLY_CONNECTING = `
  let tries = 0;
  const connected = new Set();
  for (const end = Date.now() + 10_000; Date.now() < end; tries++)
    for (const target of JSON.parse(process.env.TARGETS))
      await new Promise((resolve) => {
        const [host, port] = target.split(':');
        const socket = require('node:net').connect({ host, port: Number(port), timeout: 30 });
        const done = () => resolve(socket.destroy());
        socket.on('connect', () => { connected.add(target); done(); }).on('error', done).on('timeout', done);
      });
  return { tries, connected: [...connected] };`;

const engine = await findTestEngine();
const suite = 'isolation: docker';
if (!engine) skipWithoutEngine(suite);
else
  describe(suite, () => {
    let harness: DockerHarness;
    /** Stands for what listens on this machine, the platform's own listeners first of all. */
    let listener: Server;
    let listenerPort: number;
    let connections = 0;
    beforeAll(async () => {
      harness = await createDockerHarness(engine);
      listener = createServer((_request, response) => response.end('reached')).listen(0, '0.0.0.0');
      listener.on('connection', () => connections++);
      await once(listener, 'listening');
      listenerPort = (listener.address() as AddressInfo).port;
    });
    afterEach(async () => {
      connections = 0;
      await harness.runtime.close({ graceMs: 0 });
      await harness[Symbol.asyncDispose]();
      harness = await createDockerHarness(engine);
    });
    afterAll(async () => {
      listener.close();
      await harness[Symbol.asyncDispose]();
    });

    test('an instance reaches no other, of its account or of another', async () => {
      const artifact = await harness.makeArtifact(server({ '/': 'return 1' }));
      const sibling = await start(harness, artifact, { owner: SIBLING });
      const other = await start(harness, artifact, { owner: OTHER });
      // They answer: whoever can't connect is kept from it.
      expect([await sibling.get('/'), await other.get('/')]).toEqual([1, 1]);
      const targets = [sibling, other].map(({ instance: { address } }) => `${address.host}:${address.port}`);
      const spy = await start(harness, CONNECTING, { owner: ONE, env: { TARGETS: JSON.stringify(targets) } });
      for (const result of (await spy.get('/')) as string[]) expect(result).not.toBe('connected');
    });

    // Fails without the rules in `security`: the engine takes its own out of the kernel while it makes a network.
    test.skipIf(process.getuid?.() !== 0)(
      "another server's services and blocked ranges are out of reach while the engine makes networks",
      { timeout: 90_000 },
      async () => {
        using operators = createOperatorsNetwork(78);
        await using one = await createDockerHarness(engine, { blockedRanges: [operators.range] });
        const other = await start(harness, server({ '/': 'return 1' }), { owner: OTHER });
        const { address } = other.instance;
        const targets = [`${address.host}:${address.port}`, operators.listener];
        await expect.poll(() => connectFromPlainContainer(engine, operators.listener)).toBe('connected');
        const spy = await start(one, server({ '/': REPEATEDLY_CONNECTING }), {
          env: { TARGETS: JSON.stringify(targets) },
        });
        let isTrying = true;
        const making = (async () => {
          for (let count = 0; isTrying; count++) {
            const network = await engine.docker.createNetwork({ Name: `berth-test-${one.serverId}-${count}` });
            await network.remove();
          }
        })();
        const { tries, connected } = (await spy.get('/')) as { tries: number; connected: string[] };
        isTrying = false;
        await making;
        expect(tries).toBeGreaterThan(50);
        expect(connected).toEqual([]);
        expect(await other.get('/')).toBe(1);
      },
    );

    test.skipIf(process.getuid?.() !== 0)(
      "this machine's listeners are out of reach, on any of its addresses",
      async () => {
        // Those of networks that other tests and servers have meanwhile come and go.
        const own = Object.entries(networkInterfaces()).flatMap(([name, all]) =>
          /^(bt|bx|berth|veth)/.test(name) ? [] : (all ?? []),
        );
        const addresses = own
          .filter(({ family, internal }) => family === 'IPv4' && !internal)
          .map(({ address }) => address);
        expect(addresses.length).toBeGreaterThan(0);
        // A container that is not Berth's gets there: the test would see it.
        expect(await connectFromPlainContainer(engine, `${addresses[0]}:${listenerPort}`)).toBe('connected');
        expect(connections).toBe(1);
        const gateway = server({
          '/': `const gateway = fs.readFileSync('/proc/net/route', 'utf8').split('\\n')[1].split('\\t')[2].match(/../g).reverse().map((byte) => parseInt(byte, 16)).join('.');
          process.env.TARGETS = JSON.stringify([...JSON.parse(process.env.TARGETS), gateway + ':${listenerPort}']); ${CONNECT} return results;`,
        });
        const targets = addresses.map((address) => `${address}:${listenerPort}`);
        const { get } = await start(harness, gateway, { env: { TARGETS: JSON.stringify(targets) } });
        expect(new Set((await get('/')) as string[])).toEqual(new Set(['ECONNREFUSED']));
        expect(connections).toBe(1);
      },
    );

    test.skipIf(process.getuid?.() !== 0)("the cloud's metadata address is out of reach", async () => {
      // Another test, of another lane, may have it at the same time.
      const isAdded = !Object.values(networkInterfaces()).some((all) =>
        all?.some(({ address }) => address === METADATA),
      );
      if (isAdded) ip('addr', 'add', `${METADATA}/32`, 'dev', 'lo');
      try {
        expect(await connectFromPlainContainer(engine, `${METADATA}:${listenerPort}`)).toBe('connected');
        // The first is an address of this machine, the second is on the way to another.
        const targets = [`${METADATA}:${listenerPort}`, `169.254.7.7:80`];
        const { get } = await start(harness, CONNECTING, { env: { TARGETS: JSON.stringify(targets) } });
        expect(await get('/')).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
        expect(connections).toBe(1);
      } finally {
        if (isAdded) ip('addr', 'del', `${METADATA}/32`, 'dev', 'lo');
      }
    });

    test('a program has no capability, no way to one, and nothing of this machine', async () => {
      const program = server({
        '/': `const tries = {};
          for (const path of ['/var/run/docker.sock', '/run/docker.sock', '/proc/1/root/etc/shadow', '/dev/sda', '/dev/vda', '/dev/mem', '/dev/kmsg', '/proc/sysrq-trigger', '/sys/kernel/uevent_helper'])
            try { fs.closeSync(fs.openSync(path, 'r+')); tries[path] = 'opened'; } catch (error) { tries[path] = error.code; }
          return { tries, status: fs.readFileSync('/proc/self/status', 'utf8'), pids: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length }`,
      });
      const { get } = await start(harness, program);
      const { tries, status, pids } = (await get('/')) as {
        tries: Record<string, string>;
        status: string;
        pids: number;
      };
      expect(Object.values(tries)).not.toContain('opened');
      for (const set of ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'])
        expect(status).toMatch(new RegExp(`^${set}:\\s0+$`, 'm'));
      expect(status).toMatch(/^Seccomp:\s2$/m);
      expect(status).toMatch(/^NoNewPrivs:\s1$/m);
      expect(pids).toBeLessThan(5);
    });

    test('nothing is left of a runtime that was closed: container, network or rule', async () => {
      await start(harness, server({ '/': 'return 1' }));
      const prefix = bridgePrefix(harness.serverId);
      const rules = (): string =>
        ['filter', 'security']
          .map((table) => spawnSync('iptables', ['-t', table, '-S'], { encoding: 'utf8' }).stdout ?? '')
          .join('');
      if (process.getuid?.() === 0) expect(rules()).toContain(prefix);
      await harness[Symbol.asyncDispose]();
      const filters = { label: [`berth.server=${harness.serverId}`] };
      expect(await engine.docker.listContainers({ all: true, filters })).toEqual([]);
      expect(await engine.docker.listNetworks({ filters })).toEqual([]);
      expect(rules()).not.toContain(prefix);
    });
  });

function ip(...argv: string[]): void {
  const { status, stderr } = spawnSync('ip', argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${argv.join(' ')}: ${stderr}`);
}
