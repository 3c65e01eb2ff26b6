import { randomBytes } from 'node:crypto';
import type { Berth } from './berth.ts';
import { openRawConnection } from './raw-connection.ts';
import { hostOf } from './request.ts';

/** A WebSocket client of a service; small texts only. */
export interface ServiceSocket extends Disposable {
  send(text: string): Promise<void>;
  /** The next frame: a text, or how the connection was closed (1006 when it broke without a close frame). */
  next(timeoutMs?: number): Promise<{ readonly text: string } | { readonly closeCode: number }>;
}

const TEXT = 1;
const CLOSE = 8;
const NO_CLOSE_FRAME = 1006;

/**
 * Opens a WebSocket to the service `name`. Frame layout: RFC 6455, section 5.2.
 * @throws Error with the whole answer when it is not 101.
 */
export async function openServiceSocket(
  berth: Pick<Berth, 'port'>,
  name: string,
  path = '/',
  headers: Readonly<Record<string, string>> = {},
): Promise<ServiceSocket> {
  const connection = await openRawConnection(berth.port);
  await connection.send(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${hostOf(berth, name)}`,
      ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
  const head = await connection.receive(/\r\n\r\n/);
  if (!head.startsWith('HTTP/1.1 101')) throw new Error(`no WebSocket: ${head}`);
  let position = head.indexOf('\r\n\r\n') + 4;

  const receive = async (length: number, timeoutMs: number): Promise<Buffer> => {
    const all = await connection.receive(new RegExp(`^[^]{${position + length}}`), timeoutMs);
    const bytes = Buffer.from(all.slice(position, position + length), 'latin1');
    position += length;
    return bytes;
  };
  return {
    async send(text) {
      const payload = Buffer.from(text);
      if (payload.length > 125) throw new Error('this client sends small frames only');
      const mask = randomBytes(4);
      const masked = payload.map((byte, index) => byte ^ (mask[index % 4] as number));
      await connection.send(Buffer.concat([Buffer.from([0x80 | TEXT, 0x80 | payload.length]), mask, masked]));
    },
    async next(timeoutMs = 20_000) {
      const start = await receive(2, timeoutMs).catch((error: Error) => {
        if (error.message.startsWith('closed')) return undefined;
        throw error;
      });
      if (!start) return { closeCode: NO_CLOSE_FRAME };
      const [first, second] = start as unknown as [number, number];
      const length = second === 126 ? (await receive(2, timeoutMs)).readUInt16BE() : second;
      const payload = await receive(length, timeoutMs);
      if ((first & 0x0f) === CLOSE) return { closeCode: length >= 2 ? payload.readUInt16BE() : 1005 };
      return { text: payload.toString() };
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}
