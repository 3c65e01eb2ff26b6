import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import type { Clock } from '@berth/kit';
import { checkResponse, encodeUpdate, signMessage, type TsigKey } from './dns-message.ts';
import type { DnsProvider, DnsRecord } from './dns-records.ts';
import type { NameServer } from './name-servers.ts';

/** Options of {@link createDynamicUpdates}. */
export interface DynamicUpdatesOptions {
  /** The zone's primary server, which accepts updates. */
  readonly server: NameServer;
  readonly key: TsigKey;
  /** Returns the zone that `name` belongs to. */
  findZone(name: string): Promise<string>;
  readonly clock: Clock;
}

const TIMEOUT_MS = 15_000;

/** Creates a provider that changes records by dynamic updates over TCP, signed with a key. Source: RFC 2136, RFC 8945. */
export function createDynamicUpdates({ server, key, findZone, clock }: DynamicUpdatesOptions): DnsProvider {
  const change = async (what: 'add' | 'remove', record: DnsRecord): Promise<void> => {
    const seconds = () => Math.floor(clock.nowMs() / 1_000);
    const update = encodeUpdate(randomInt(65_536), await findZone(record.name), what, record);
    const request = signMessage(update, key, seconds());
    checkResponse(await exchange(server, request.message), request, key, seconds());
  };
  return { add: (record) => change('add', record), remove: (record) => change('remove', record) };
}

/** Sends a message over TCP and returns the response. Each is preceded by its length. Source: RFC 1035 4.2.2. */
function exchange({ host, port }: NameServer, message: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(`the name server ${host}:${port} ${reason}`));
    };
    // Not a timeout of inactivity: the server could send a byte now and then.
    const timer = setTimeout(() => fail(`didn't answer within ${TIMEOUT_MS / 1_000} s`), TIMEOUT_MS);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return;
      socket.destroy();
      resolve(received.subarray(2, received.readUInt16BE(0) + 2));
    });
    socket.on('error', (error) => fail(`can't be reached: ${error.message}`));
    socket.on('end', () => fail('closed the connection without an answer'));
    socket.on('close', () => clearTimeout(timer));
    const length = Buffer.alloc(2);
    length.writeUInt16BE(message.length);
    socket.write(Buffer.concat([length, message]));
  });
}
