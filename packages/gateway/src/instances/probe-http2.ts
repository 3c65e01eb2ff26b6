import { connect } from 'node:net';
import type { Address } from './probe-port.ts';

/** What an instance speaks. `silent`: it accepted the connection and said nothing in time. */
export type SpokenProtocol = 'http2' | 'http1' | 'silent';

/** Tells whether an instance speaks HTTP/2 without TLS, by prior knowledge. Never rejects. */
export type Http2Probe = (address: Address, timeoutMs: number) => Promise<SpokenProtocol>;

/** The client's preface and an empty SETTINGS frame (RFC 9113 sections 3.4 and 6.5). */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** Length, type, flags and stream of a frame (RFC 9113 section 4.1). */
const FRAME_HEADER_BYTES = 9;
const SETTINGS = 4;

/** Sends the client's preface. A server of HTTP/2 answers with SETTINGS first; one of HTTP/1 answers with a response or closes. */
export const probeHttp2: Http2Probe = ({ host, port }, timeoutMs) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let read: Buffer = Buffer.alloc(0);
    const settle = (spoken: SpokenProtocol) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(spoken);
    };
    // A timer, not the socket's timeout: a program that drips bytes must not hold it up.
    const timer = setTimeout(() => settle('silent'), timeoutMs);
    socket.once('connect', () => socket.write(PREFACE));
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length < FRAME_HEADER_BYTES) return;
      settle(read[3] === SETTINGS && read.readUInt32BE(5) === 0 ? 'http2' : 'http1');
    });
    // One that ended the connection read the preface and did not know it; one that never accepted it may come.
    socket.once('end', () => settle('http1'));
    socket.once('error', () => settle(socket.bytesWritten > 0 ? 'http1' : 'silent'));
  });
