import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PUBLIC = '9.9.9.9';
const OWN = '11.22.33.44';
/** Metadata services of clouds, and addresses by which clouds talk to their machines. */
const SERVICES = ['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192'];
const SERVICES6 = ['[fd00:ec2::254]', '[fd20:ce::254]'];

/** Ways to write an IPv4 address. */
function spellingsOf(address: string): string[] {
  const bytes = address.split('.').map(Number);
  const number = Buffer.from(bytes).readUInt32BE();
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const [high, low] = [(number >>> 16).toString(16), (number & 0xffff).toString(16)];
  return [
    ...[address, `${address}.`, String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`],
    ...[bytes.map((byte) => `0${byte.toString(8)}`).join('.'), `0x${a.toString(16)}.${b}.${c * 256 + d}`],
    address.replaceAll(/\d/g, (digit) => '０１２３４５６７８９'[Number(digit)] as string).replaceAll('.', '。'),
    ...[`[::ffff:${address}]`, `[::ffff:${high}:${low}]`, `[::${high}:${low}]`, `[64:ff9b::${high}:${low}]`],
  ];
}

/** Runs in a network of its own, where every address of the test leads to one listener. */
const program = (guarded: readonly string[]) => `
  const { execFileSync } = await import('node:child_process');
  const { createServer } = await import('node:http');
  const { createOutbound } = await import(${JSON.stringify(new URL('create-outbound.ts', import.meta.url).href)});
  const ip = (...words) => execFileSync('ip', words);
  ip('link', 'set', 'lo', 'up');
  for (const address of ${JSON.stringify([PUBLIC, OWN, ...SERVICES])}) ip('route', 'add', 'local', address, 'dev', 'lo');
  for (const address of ${JSON.stringify(SERVICES6)}) ip('-6', 'route', 'add', 'local', address.slice(1, -1), 'dev', 'lo');
  const seen = [];
  const server = createServer((request, response) => response.end('inside'));
  server.on('connection', (socket) => seen.push(socket.localAddress));
  await new Promise((resolve) => server.listen(8080, '::', resolve));
  const resolveHost = async () => ['${OWN}'];
  const outbound = createOutbound({}, { resolveHost });
  const ask = (host) =>
    outbound.fetch({ url: 'http://' + host + ':8080/', isHttpAllowed: true, timeoutMs: 5000, maxBytes: 9 }).then(
      ({ body }) => String(body),
      (error) => error.message.replace(/^.* (resolves)/, '$1'),
    );
  const before = [await ask('${PUBLIC}'), await ask('own.example'), seen.length];
  outbound.close();
  ip('addr', 'add', '${OWN}/32', 'dev', 'lo');
  const answers = {};
  for (const host of ${JSON.stringify(guarded)}) answers[host] = await ask(host);
  process.stdout.write(JSON.stringify({ before, answers, seen: seen.length }));
  process.exit();`;

// Fails when the outbound client doesn't ask isOwnAddress, when that looks at the interfaces once at its start, and
// without 168.63.129.16 in the table of special addresses.
test('neither the machine’s own public addresses nor services of its cloud are asked, however written', async (context) => {
  const isolated = ['--map-root-user', '--net'];
  if (spawnSync('unshare', [...isolated, 'ip', 'link']).status !== 0) {
    context.skip('needs unshare and ip, and a kernel that lets this user make a network of their own');
  }
  const guarded = ['own.example', ...[OWN, ...SERVICES].flatMap(spellingsOf), ...SERVICES6];
  const words = [...isolated, process.execPath, '--input-type=module', '-e', program(guarded)];
  const result = JSON.parse((await promisify(execFile)('unshare', words)).stdout);
  // The same listener answers for a public address, and for the machine's before it is the machine's.
  expect(result.before).toEqual(['inside', 'inside', 2]);
  const refused = guarded.map((host) => [host, 'resolves to a non-public address.']);
  expect(result.answers).toEqual(Object.fromEntries(refused));
  expect(result.seen).toBe(2);
});
