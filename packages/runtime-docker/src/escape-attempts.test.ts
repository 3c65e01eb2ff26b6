import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { server, start } from '@berth/runtime/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bridgePrefix } from './network/networks.ts';
import { connectFromPlainContainer } from './testing/connect.ts';
import { BASE_IMAGE, createDockerHarness, type DockerHarness } from './testing/docker-harness.ts';
import { BUILD_ATTEMPTS, ESCAPE_HELPERS, type EscapeAttempt, SERVICE_ATTEMPTS } from './testing/escape-attempts.ts';
import { eventually } from './testing/eventually.ts';
import { createImageBuilderFixture, type ImageBuilderFixture, OWNER } from './testing/image-builder-fixture.ts';
import { createOperatorsNetwork, type OperatorsNetwork } from './testing/operators-network.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const ACCOUNT = 'account_one';
const METADATA_ADDRESSES = {
  METADATA: '169.254.169.254:80',
  LINK_LOCAL: '169.254.7.7:80',
  METADATA6: 'fd00:ec2::254:80',
};
/** An image that helps: what it can bring along is the tenant's. */
const HELPING_IMAGE = [
  `FROM ${BASE_IMAGE}`,
  'RUN cp /usr/bin/id /escape-id && chmod 4755 /escape-id',
  'COPY main.js /main.js',
  'HEALTHCHECK --interval=1s CMD touch /tmp/checked',
  'USER 10001:10001',
  'CMD ["node", "/main.js"]',
].join('\n');

/** Each row's answer at a path of its own. */
const routesOf = (rows: readonly EscapeAttempt[]) =>
  Object.fromEntries(rows.map(({ attempt }, index) => [`/${index}`, attempt]));

const engine = await findTestEngine();
const total = SERVICE_ATTEMPTS.length + BUILD_ATTEMPTS.length;
const suite = `${total} escape attempts: docker`;
if (!engine) skipWithoutEngine(suite);
else
  describe.skipIf(process.getuid?.() !== 0)(suite, () => {
    let harness: DockerHarness;
    let fixture: ImageBuilderFixture;
    let operators: OperatorsNetwork;
    let folder: string;
    /** Stand for what listens on this machine. */
    const listeners: Server[] = [];
    let connections = 0;
    /** What each attempt in a service, or in a build, came to. */
    let ofService: (index: number) => Promise<unknown>;
    let ofBuild: Record<string, unknown>;
    let services: { readonly containerId?: string };
    const environment = { ...process.env };

    const listen = async (port: number): Promise<number | undefined> => {
      const listener = createServer((socket) => {
        connections++;
        socket.on('error', () => {}).end('reached');
      });
      const isUp = await new Promise<boolean>((resolve) =>
        listener.once('error', () => resolve(false)).listen(port, '0.0.0.0', () => resolve(true)),
      );
      if (!isUp) return undefined;
      listeners.push(listener);
      return (listener.address() as AddressInfo).port;
    };
    const gatewayOf = async (network: string): Promise<string> => {
      const { IPAM } = await engine.docker.getNetwork(network).inspect();
      return IPAM?.Config?.[0]?.['Gateway'] ?? IPAM?.Config?.[0]?.['Subnet']?.replace(/\d+\/\d+$/, '1') ?? '';
    };

    beforeAll(async () => {
      // What a driver that passed on its own environment would give away.
      Object.assign(process.env, { SECRET: 'canary', HTTP_PROXY: 'http://canary', HOME: '/canary' });
      process.env['PATH'] += ':/canary';
      operators = createOperatorsNetwork(77);
      const blockedRanges = [operators.range, 'fd00::/8'];
      harness = await createDockerHarness(engine, { blockedRanges });
      fixture = await createImageBuilderFixture(engine, { blockedRanges });
      folder = mkdtempSync(path.join(tmpdir(), 'berth-escape-'));
      const hostFile = path.join(folder, 'of-the-machine');
      await writeFile(hostFile, 'secret', { mode: 0o644 });
      await chmod(folder, 0o755);
      const volume = await harness.makeVolume();
      symlinkSync(hostFile, path.join(volume.source, 'link'));

      const port = (await listen(0)) ?? 0;
      const names = (await listen(53)) ?? port;
      const machine = Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
      const one = server({ '/': 'return 1' });
      const [sibling, other] = [
        await start(harness, one, { owner: { account: ACCOUNT, deployment: 'sibling' } }),
        await start(harness, one, { owner: { account: 'account_two', deployment: 'other' } }),
      ];
      const addressOf = ({ instance }: typeof sibling) => `${instance.address.host}:${instance.address.port}`;
      // What is out of reach below is there, and answers others.
      expect(await sibling.get('/')).toBe(1);
      for (const target of [`${machine}:${port}`, operators.listener])
        await eventually(
          `${target} is there`,
          async () => (await connectFromPlainContainer(engine, target)) === 'connected',
          20_000,
        );
      expect(connections).toBe(1);

      const variables = (gateway: string) => ({
        ...{ HOST_FILE: hostFile, HOST_PID: String(process.pid), ...METADATA_ADDRESSES },
        ...{ GATEWAY: `${gateway}:${port}`, MACHINE: `${machine}:${port}`, MACHINE_NAMES: `${machine}:${names}` },
        ...{ BLOCKED: operators.listener, OTHER_ACCOUNT: addressOf(other), SIBLING: addressOf(sibling) },
      });
      const image = await harness.makeImage({
        'main.js': server(routesOf(SERVICE_ATTEMPTS), ESCAPE_HELPERS).files['main.js'] ?? '',
        Dockerfile: HELPING_IMAGE,
      });
      const service = await start(harness, image, {
        owner: { account: ACCOUNT, deployment: 'service' },
        env: variables(await gatewayOf(await harness.networks.ensure(ACCOUNT))),
        mounts: [{ ...volume, target: '/data', isReadOnly: false }],
      });
      ofService = (index) => service.get(`/${index}`);
      services = service.instance as { readonly containerId?: string };

      const given = variables(await gatewayOf(await fixture.networks.ensureForBuilds(OWNER.account)));
      const functions = BUILD_ATTEMPTS.map(({ attempt }) => `async () => { ${attempt} }`).join(',\n');
      const { output } = await fixture.build({
        Dockerfile: `FROM ${BASE_IMAGE}\nCOPY try.js /try.js\nRUN node /try.js\nCMD ["node"]`,
        'try.js': `const fs = require('node:fs'); ${ESCAPE_HELPERS}\nObject.assign(process.env, ${JSON.stringify(given)});
          (async () => { let index = 0; for (const attempt of [${functions}])
            console.log(JSON.stringify([index++, await attempt().catch((error) => error.code ?? String(error))])); process.exit(); })();`,
      });
      ofBuild = Object.fromEntries(output.filter((line) => line.startsWith('[')).map((line) => JSON.parse(line)));
    }, 180_000);

    afterAll(async () => {
      for (const name of ['SECRET', 'HTTP_PROXY', 'HOME', 'PATH']) {
        if (environment[name] === undefined) delete process.env[name];
        else process.env[name] = environment[name];
      }
      for (const listener of listeners) listener.close();
      await harness[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
      operators[Symbol.dispose]();
      rmSync(folder, { recursive: true });
    });

    const rows = (attempts: readonly EscapeAttempt[]) =>
      attempts.map(({ name, refusal }, index) => [index + 1, name, refusal] as const);

    // Fails when a service gets the server's environment, when blocked ranges or link-local addresses are not refused, and
    // without no-new-privileges.
    test.each(rows(SERVICE_ATTEMPTS))(
      `service %i/${SERVICE_ATTEMPTS.length}: it %s`,
      async (number, _name, refusal) => {
        expect(String(await ofService(number - 1))).toMatch(refusal);
      },
    );

    test.each(rows(BUILD_ATTEMPTS))(`build %i/${BUILD_ATTEMPTS.length}: it %s`, (number, _name, refusal) => {
      expect(String(ofBuild[number - 1])).toMatch(refusal);
    });

    test('none of them reached a listener of this machine', () => {
      expect(connections).toBe(1);
    });

    test("what an image would have the engine run beside its program, it doesn't", async () => {
      const { State, HostConfig } = await engine.docker.getContainer(services.containerId ?? '').inspect();
      // Fails without `Healthcheck: NONE`: the engine runs the image's check each second, past the limits of the instance.
      expect(State.Health).toBeUndefined();
      expect(HostConfig).toMatchObject({ PidsLimit: 1_024, Privileged: false, CapDrop: ['ALL'] });
      expect(HostConfig.SecurityOpt).toEqual(['no-new-privileges:true']);
    });

    test("a build's raw frames of IPv6 don't arrive at this machine", { timeout: 60_000 }, async () => {
      const socket = createSocket('udp6').bind(0, '::');
      await once(socket, 'listening');
      const received: string[] = [];
      socket.on('message', (message) => received.push(String(message)));
      const { port } = socket.address();
      const send = (bridge: string) => {
        const mac = readFileSync(`/sys/class/net/${bridge}/address`, 'utf8').trim();
        return `perl /send.pl ${mac} ${port} ${bridge}`;
      };
      try {
        // The frame arrives where nothing is in its way: the engine's own bridge.
        const plain = await engine.docker.createContainer({
          ...{ Image: BASE_IMAGE, Cmd: ['sh', '-c', `echo '${SEND_FRAME}' > /send.pl; ${send('docker0')}`] },
        });
        await plain.start();
        await plain.wait();
        await plain.remove();
        await expect.poll(() => received).toContain('docker0');
        const network = await fixture.networks.ensureForBuilds(OWNER.account);
        const { Options } = await engine.docker.getNetwork(network).inspect();
        const bridge = Options?.['com.docker.network.bridge.name'] ?? '';
        expect(bridge).toMatch(/^bt/);
        expect(bridge.startsWith(bridgePrefix(harness.serverId))).toBe(false);
        await fixture.build({
          Dockerfile: `FROM ${BASE_IMAGE}\nCOPY send.pl /send.pl\nRUN ${send(bridge)}\nCMD ["node"]`,
          'send.pl': SEND_FRAME,
        });
        await sleep(200);
        // Fails when ip6tables has no rule: the network has no IPv6, but the machine's end of the bridge has.
        expect(received).not.toContain(bridge);
      } finally {
        socket.close();
      }
    });
  });

/** Sends a datagram to the link-local address that a bridge has by its MAC address, ten times in five seconds: mac, port, text. */
const SEND_FRAME = `
my ($mac, $port, $text) = @ARGV;
my @m = map { hex } split /:/, $mac;
my $to = pack("C16", 0xfe,0x80,0,0,0,0,0,0, $m[0]^2,$m[1],$m[2],0xff,0xfe,$m[3],$m[4],$m[5]);
my $from = pack("C16", 0xfe,0x80,0,0,0,0,0,0,0,0,0,0,0,0,0xbe,0xef);
my $length = 8 + length $text;
sub sum { my $s = 0; $s += $_ for unpack("n*", $_[0] . (length($_[0]) % 2 ? "\\0" : "")); $s = ($s & 0xffff) + ($s >> 16) while $s >> 16; return ~$s & 0xffff }
my $head = pack("nnn", 1111, $port, $length);
my $check = sum($from . $to . pack("NN", $length, 17) . $head . pack("n", 0) . $text);
my $packet = pack("NnCC", 0x60000000, $length, 17, 64) . $from . $to . $head . pack("n", $check) . $text;
open my $i, "<", "/sys/class/net/eth0/ifindex"; my $index = <$i>;
open my $o, "<", "/sys/class/net/eth0/address"; my $own = <$o>; chomp $own;
my ($dst, $src) = map { pack("C6", map { hex } split /:/) } $mac, $own;
socket(my $s, 17, 3, 0xdd86) or die "no socket: $!";
for (1..10) { send($s, $dst . $src . pack("n", 0x86dd) . $packet, 0, pack("SnlSCCa8", 17, 0x86dd, $index, 1, 0, 6, $dst)) or die "not sent: $!"; select(undef, undef, undef, 0.5); }
`;
