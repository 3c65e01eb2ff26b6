import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Something of the network inside: it listens on both loopbacks, and notes who comes. */
export interface InnerListener extends AsyncDisposable {
  readonly port: number;
  /** Connections so far. No one may ever come. */
  readonly connections: number;
}

export async function openInnerListener(): Promise<InnerListener> {
  let connections = 0;
  const listen = async (host: string, port: number): Promise<Server> => {
    const server = createServer((socket) => {
      connections++;
      socket.on('error', () => {});
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
    });
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  };
  // On 127.0.0.2 too, which a test's own networks don't have.
  const first = await listen('0.0.0.0', 0);
  const { port } = first.address() as AddressInfo;
  // A machine without IPv6 has no second loopback.
  const second = await listen('::1', port).catch(() => undefined);
  return {
    port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      first.close();
      second?.close();
    },
  };
}

/** Ways to write an address of the network inside; PORT is where something listens. */
export const INNER_HOSTS = [
  '127.0.0.1:PORT',
  '127.0.0.2:PORT',
  'localhost:PORT',
  'LOCALHOST.:PORT',
  '2130706433:PORT',
  '0x7f.1:PORT',
  '0177.0.0.1:PORT',
  '127.1:PORT',
  '0.0.0.0:PORT',
  '①②⑦.⓪.⓪.①:PORT',
  '[::]:PORT',
  '[::1]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '[::ffff:7f00:1]:PORT',
  '[::7f00:1]:PORT',
  '[64:ff9b::7f00:1]:PORT',
  '[64:ff9b:1::7f00:1]:PORT',
  '[2002:7f00:1::]:PORT',
  '[2001:0:7f00:1::]:PORT',
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '100.64.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '[fc00::1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  // Names that lead there: see `resolveInner`.
  'inside.example:PORT',
  'mixed.example:PORT',
  'metadata.google.internal',
] as const;

/** A resolver for tests: names of the network inside, one that has good and bad addresses, and public ones. */
export async function resolveInner(host: string): Promise<readonly string[]> {
  if (host === 'inside.example') return ['127.0.0.2'];
  if (host === 'mixed.example') return ['1.1.1.1', '127.0.0.2'];
  if (host === 'metadata.google.internal') return ['169.254.169.254'];
  if (/^localhost\.?$/.test(host)) return ['127.0.0.1', '::1'];
  return [];
}
