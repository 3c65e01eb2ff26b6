import { connect } from 'node:net';
import type { Address } from './probe-port.ts';

/** The protocol that an instance speaks. `silent`: the instance sent nothing in time or refused the connection. */
export type SpokenProtocol = 'http2' | 'http1' | 'silent';

/** Detects whether an instance speaks HTTP/2 without TLS, by prior knowledge. Never rejects. */
export type Http2Probe = (address: Address, timeoutMs: number) => Promise<SpokenProtocol>;

/** The client connection preface and an empty SETTINGS frame (RFC 9113 sections 3.4 and 6.5). */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** Size of a frame header: length, type, flags and stream (RFC 9113 section 4.1). */
const FRAME_HEADER_BYTES = 9;
const SETTINGS = 4;

/** Sends the client preface. An HTTP/2 server answers with SETTINGS; an HTTP/1 server sends a response or closes. */
export const probeHttp2: Http2Probe = ({ host, port }, timeoutMs) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    let read: Buffer = Buffer.alloc(0);
    const settle = (spoken: SpokenProtocol) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(spoken);
    };
    // A timer instead of the socket's idle timeout, so that a slow trickle of bytes cannot extend the probe.
    const timer = setTimeout(() => settle('silent'), timeoutMs);
    socket.once('connect', () => socket.write(PREFACE));
    socket.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length < FRAME_HEADER_BYTES) return;
      settle(read[3] === SETTINGS && read.readUInt32BE(5) === 0 ? 'http2' : 'http1');
    });
    // A server that closes the connection didn't understand the preface. A server that refused it may still come up.
    socket.once('end', () => settle('http1'));
    socket.once('error', () => settle(socket.bytesWritten > 0 ? 'http1' : 'silent'));
  });
