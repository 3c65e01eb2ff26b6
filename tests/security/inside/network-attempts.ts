import { createServer, type Server } from 'node:net';
import { type Facts, gotThrough, type InsideAttempt } from './attempt.ts';
import { OWN_ABSTRACT_SOCKET, OWN_ANSWER, OWN_TCP_PORT, OWN_UDP_PORT } from './own-listeners.ts';
import { findSecrets, perl, reach, reachAll, reachByUdp, readStart } from './tools.ts';

/** Ways to write an address of the host that a filter may not know. */
const SPELLINGS = {
  loopback: '127.0.0.1',
  'other-loopback': '127.8.9.1',
  'any-address': '0.0.0.0',
  zero: '0',
  decimal: '2130706433',
  hexadecimal: '0x7f000001',
  octal: '0177.0.0.1',
  short: '127.1',
  'loopback-6': '::1',
  'any-address-6': '::',
  mapped: '::ffff:127.0.0.1',
  'mapped-hexadecimal': '::ffff:7f00:1',
  'long-6': '0:0:0:0:0:0:0:1',
  name: 'localhost',
  'name-6': 'ip6-localhost',
} as const;

const reachOwnTcp = async () => own(await reach({ host: '127.0.0.1', port: OWN_TCP_PORT }));
const reachOwnUdp = async () => own(await reachByUdp('127.0.0.1', OWN_UDP_PORT));

const ASKING: readonly InsideAttempt[] = [
  ...Object.entries(SPELLINGS).map(
    ([name, host]): InsideAttempt => ({
      id: `network.host-by-${name}`,
      tries: `connects to a listener of the host at ${host}`,
      act: async ({ host: { loopbackPort } }) => reach({ host, port: loopbackPort }),
      control: reachOwnTcp,
    }),
  ),
  {
    id: 'network.host-addresses',
    tries: 'connects to a listener of the host at every address of its interfaces',
    act: async ({ host }) => reachAll(host.addresses, host.tcpPort),
  },
  {
    id: 'network.host-by-udp',
    tries: 'sends a datagram to a listener of the host at every address',
    act: async ({ host }) =>
      Promise.all(['127.0.0.1', '::1', ...host.addresses].map((address) => reachByUdp(address, host.udpPort))),
    control: reachOwnUdp,
  },
  {
    id: 'network.gateway',
    tries: 'connects to a listener of the host at its own gateways',
    act: async ({ host }) => reachAll(findGateways(), host.tcpPort),
    control: reachOwnTcp,
  },
  {
    id: 'network.gateway-by-udp',
    tries: 'sends a datagram to a listener of the host at its own gateways',
    act: async ({ host }) => Promise.all(findGateways().map((address) => reachByUdp(address, host.udpPort))),
    control: reachOwnUdp,
  },
  {
    id: 'network.admin',
    tries: "reads the platform's metrics",
    act: async ({ host }) => {
      const answers = await reachAll(['127.0.0.1', '::1', ...findGateways(), ...host.addresses], host.adminPort);
      return answers.some((answer) => answer.includes('HTTP/1.')) ? gotThrough(answers.join('\n')) : answers;
    },
  },
  {
    id: 'network.later-address',
    tries: 'connects to a listener of the host at an address that the host got later',
    act: async ({ host }) => reachAll([host.laterAddress], host.tcpPort),
    from: ['service'],
  },
  {
    id: 'network.alias-address',
    tries: "connects to a listener of the host at another address of the host's loopback interface",
    act: async ({ host }) => reachAll([host.aliasAddress], host.tcpPort),
  },
  {
    id: 'network.victim-on-loopback',
    tries: "connects to another account's instance on loopback, at its port and at ports that lead to it",
    act: async ({ victim }) => reachVictim(['127.0.0.1', '::1'], victim),
    control: reachOwnTcp,
  },
  {
    id: 'network.victim-at-its-address',
    tries: "connects to another account's instance at its own address",
    act: async ({ victim }) => reachVictim(victim.addresses, victim),
    control: reachOwnTcp,
  },
  {
    id: 'network.victim-at-host-address',
    tries: "connects to another account's instance at addresses of the host",
    act: async ({ victim, host }) => reachVictim(host.addresses, victim),
    control: reachOwnTcp,
  },
  {
    id: 'network.victim-by-gateway',
    tries: "connects to another account's instance by the gateways",
    act: async ({ victim }) => reachVictim(findGateways(), victim),
    control: reachOwnTcp,
  },
  {
    id: 'network.neighbors',
    tries: 'connects to every address near its own',
    act: async ({ victim }) => (await reachAll(findNeighbors(), victim.port)).filter((answer) => answer.length > 100),
    control: reachOwnTcp,
  },
  {
    id: 'network.metadata',
    tries: "asks the cloud's metadata service",
    act: async ({ metadata, host }) => reachAll(metadata, host.tcpPort),
  },
  {
    id: 'network.metadata-spelled',
    tries: "asks the cloud's metadata service by other spellings of its address",
    act: async ({ metadata: [address = ''], host }) => reachAll(spell(address), host.tcpPort),
  },
  {
    id: 'network.blocked-range',
    tries: 'connects to an address in a range that the operator has blocked',
    act: async ({ elsewhere }) => reachAll([elsewhere.blocked], elsewhere.port),
    control: async ({ elsewhere, ...facts }) => {
      const found = findSecrets((await reachAll([elsewhere.allowed], elsewhere.port)).join(), facts);
      return found.length > 0 ? gotThrough('the address beside the range is reached') : found;
    },
  },
  ...(['open', 'private'] as const).map(
    (kind): InsideAttempt => ({
      id: `network.${kind}-unix-sockets`,
      tries: `connects to UNIX sockets of the host that ${kind === 'open' ? 'everybody may use' : "only the platform may use, the container engine's among them"}`,
      act: async ({ host }) => {
        const answers = await Promise.all(host.unixSockets[kind].map((path) => reach({ path })));
        return answers.some((answer) => answer.startsWith('HTTP/1.')) ? gotThrough(answers.join('\n')) : answers;
      },
    }),
  ),
  {
    id: 'network.abstract-socket',
    tries: 'connects to an abstract UNIX socket of the host',
    act: async ({ host }) => reach({ path: `\0${host.abstractSocket}` }),
    control: async () => own(await reach({ path: OWN_ABSTRACT_SOCKET })),
  },
];

export const NETWORK_ATTEMPTS: readonly InsideAttempt[] = [
  ...ASKING.map((one) => ({ ...one, isAsking: true })),
  {
    id: 'network.packet-socket',
    tries: 'listens to all packets of the network',
    act: async () => perl(`socket(my $s, 17, 3, 0x300) ? ok('open') : failed()`),
    from: ['service'],
  },
  {
    id: 'network.raw-socket',
    tries: 'forges packets with a raw socket',
    act: async () => perl(`socket(my $s, 2, 3, 255) ? ok('open') : failed()`),
    from: ['service'],
  },
  {
    id: 'network.take-address',
    tries: "gives its interface another instance's address",
    act: async ({ victim }) =>
      perl(
        `socket(my $s, 2, 2, 0) or die; my @ip = split /\\./, $ARGV[0];
        for my $name (split ' ', $ARGV[1]) {
          my $request = pack 'a16 S n C4 x8 x8', "$name:9", 2, 0, @ip;
          ioctl($s, 0x8916, $request) ? ok("$name has it") : failed() }`,
        [victim.addresses.find((address) => address.includes('.')) ?? '10.255.255.1', findInterfaces().join(' ')],
      ),
    control: 'namespaced',
  },
  {
    id: 'network.change-routes',
    tries: 'changes its routes to pass the filter',
    act: async () =>
      perl(`socket(my $s, 2, 2, 0) or die; my $ip = pack 'S n C4 x8', 2, 0, 198, 51, 100, 0; my $mask = pack 'S n C4 x8', 2, 0, 255, 255, 255, 0;
        my $device = "lo\\0"; my $route = pack 'Q a16 a16 a16 S s x4 Q Q s x6 p Q Q S x6', 0, $ip, pack('S x14', 0), $mask, 1, 0, 0, 0, 0, $device, 0, 0, 0;
        ioctl($s, 0x890B, $route) ? ok('added') : failed()`),
    control: 'namespaced',
  },
  {
    id: 'network.take-ports',
    tries: 'listens on all ports that instances are given, and waits for the traffic of others',
    act: async (facts) => takePorts(facts),
    control: async (facts) => {
      const taking = takePorts(facts, { first: OWN_TCP_PORT + 10, last: OWN_TCP_PORT + 12, forMs: 1_000 });
      setTimeout(() => void reach({ host: '127.0.0.1', port: OWN_TCP_PORT + 11 }), 300);
      const got = (await taking) as readonly string[];
      return got.some((text) => text.startsWith('GET /')) ? gotThrough('a request arrived') : got;
    },
    from: ['service'],
    isAlone: true,
    needsVictimRestart: true,
  },
];

async function reachVictim(hosts: readonly string[], { port, forwardedPorts }: Facts['victim']): Promise<string[]> {
  return (await Promise.all([port, ...forwardedPorts].map((one) => reachAll(hosts, one)))).flat();
}

function own(answer: string): string {
  return answer === OWN_ANSWER ? gotThrough(answer) : answer;
}

/** Other ways to write an IPv4 address: mapped, decimal, hexadecimal, octal. */
function spell(address: string): string[] {
  const parts = address.split('.').map(Number);
  const hex = parts.map((part) => part.toString(16).padStart(2, '0'));
  const octal = parts.map((part) => `0${part.toString(8)}`).join('.');
  const mapped = `::ffff:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
  return [`::ffff:${address}`, mapped, String(Number(`0x${hex.join('')}`)), `0x${hex.join('')}`, octal];
}

/** Addresses of gateways, from the kernel's tables. */
function findGateways(): string[] {
  const routes = readStart('/proc/net/route').toString().split('\n').slice(1);
  const four = routes
    .map((line) => line.split('\t')[2] ?? '')
    .filter((hex) => /^[0-9A-F]{8}$/.test(hex) && +`0x${hex}`);
  const six = readStart('/proc/net/ipv6_route')
    .toString()
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return [
    ...new Set([
      ...four.map((hex) => toAddress(hex)),
      ...six
        .filter((hex) => /[1-9a-f]/.test(hex) && !hex.startsWith('fe8'))
        .map((hex) => hex.replace(/....(?=.)/g, '$&:')),
    ]),
  ];
}

/** The 32 addresses around each of its own. */
function findNeighbors(): string[] {
  const addresses = readStart('/proc/net/fib_trie')
    .toString()
    .matchAll(/\|-- (\d+\.\d+\.\d+)\.(\d+)\n\s+\/32 host LOCAL/g);
  const near = [...addresses].flatMap(([, net = '', last]) =>
    net.startsWith('127.')
      ? []
      : Array.from({ length: 32 }, (_none, index) => `${net}.${Math.max(0, Number(last) - 16) + index}`),
  );
  return [...new Set(near)];
}

/** Bytes in the machine's order, which is little-endian on all machines that this runs on. */
function toAddress(hex: string): string {
  return (hex.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

function findInterfaces(): string[] {
  return [
    ...readStart('/proc/net/dev')
      .toString()
      .matchAll(/^\s*([^\s:]+):/gm),
  ].map(([, name]) => name as string);
}

/** Holds every port that it can get and answers what was sent to them. */
async function takePorts(
  facts: Facts,
  { first = 20_000, last = 29_999, forMs = 5_000 } = {},
): Promise<readonly string[]> {
  const held = new Map<number, Server>();
  const got: string[] = [];
  const take = (port: number): void => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (bytes) => got.push(bytes.toString()));
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ntaken'));
    });
    held.set(port, server);
    server.on('error', () => held.delete(port)).listen({ port, host: '0.0.0.0' });
  };
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    for (let port = first; port <= last; port++) if (!held.has(port)) take(port);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const server of held.values()) server.close();
  const secrets = findSecrets(got.join('\n'), facts);
  return secrets.length > 0 ? secrets : got.slice(0, 20);
}
