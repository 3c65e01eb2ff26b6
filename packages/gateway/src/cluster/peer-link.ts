import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Logger } from '@berth/kit';
import { describeError } from '@berth/kit';
import type { IpcProcess } from '../workers/process-port.ts';

/** Version of the messages between gateways. Gateways of different versions don't connect. */
const PROTOCOL = 1;
/** Encrypted, with forward secrecy; a cipher with a pre-shared key proves that both ends have it, without certificates (RFC 5489, RFC 7905). */
const CIPHERS = 'ECDHE-PSK-CHACHA20-POLY1305';
const IDENTITY = 'berth-gateway';
const HELLO_MS = 3_000;
/** The core pings its workers every 5 s. */
const SILENCE_MS = 15_000;
/** A frame longer than this is a fault, and so are as many unsent bytes. */
const FRAME_BYTES_MAX = 64 * 2 ** 20;

/** A gateway that others reach over the network. */
export interface Peer {
  readonly id: string;
  /** Host and port, such as `10.1.0.4:7947`. */
  readonly address: string;
}

/** A connection to another gateway, which carries several channels (`createProcessPort`). */
export interface PeerLink extends IpcProcess {
  readonly id: string;
  /** Breaks it off. Idempotent. */
  close(): void;
}

/** Connections between gateways. */
export interface PeerNetwork {
  /**
   * Connects to a gateway. Open its channels in the turn of the event loop in which this resolves.
   * @throws Error when it can't be reached, is another gateway, has another key or another version.
   */
  dial(peer: Peer): Promise<PeerLink>;
  /** Sets the handler of connections of others. It opens their channels at once. */
  onLink(handler: (link: PeerLink) => void): void;
}

/** Options of {@link openPeerNetwork}. */
export interface PeerNetworkOptions {
  /** The id of this gateway. */
  readonly id: string;
  readonly host: string;
  /** 0: any. */
  readonly port: number;
  /** 32 bytes that only the gateways have. */
  readonly key: Uint8Array;
  readonly logger: Logger;
}

/** Listens for other gateways. @throws Error when the port is taken */
export async function openPeerNetwork({
  id,
  host,
  port,
  key,
  logger,
}: PeerNetworkOptions): Promise<PeerNetwork & { readonly port: number; close(): Promise<void> }> {
  /** All connections, in both directions, also those whose handshake hasn't ended. */
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  let handler: ((link: PeerLink) => void) | undefined;
  const psk = Buffer.from(key);
  const tls = { ciphers: CIPHERS, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const satisfies TlsOptions;

  const begin = (socket: TLSSocket, to: string | undefined) =>
    new Promise<Link>((resolve, reject) => {
      const link = new Link(socket, reject, (hello) => {
        if (hello.protocol !== PROTOCOL) return `speaks version ${hello.protocol} of the protocol, not ${PROTOCOL}`;
        if (to !== undefined && hello.id !== to) return `is gateway ${hello.id}, not ${to}`;
        if (hello.to !== undefined && hello.to !== id) return `wants gateway ${hello.to}`;
        resolve(link);
        return undefined;
      });
      link.greet({ protocol: PROTOCOL, id, ...(to === undefined ? {} : { to }) });
    });

  const server = createServer({ ...tls, pskCallback: (_, identity) => (identity === IDENTITY ? psk : null) });
  server.on('secureConnection', (socket) => {
    begin(socket, undefined).then(
      (link) => handler?.(link),
      (error) => logger.warn({ from: socket.remoteAddress, error: describeError(error) }, 'a gateway was refused'),
    );
  });
  server.on('tlsClientError', (error, socket) => {
    logger.warn(
      { from: socket.remoteAddress, error: describeError(error) },
      'a connection to the port of gateways was refused',
    );
    socket.destroy();
  });
  server.on('connection', track);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    dial(peer) {
      const colon = peer.address.lastIndexOf(':');
      const socket = connect({
        ...tls,
        host: peer.address.slice(0, colon).replace(/^\[|\]$/g, ''),
        port: Number(peer.address.slice(colon + 1)),
        pskCallback: () => ({ identity: IDENTITY, psk }),
        // The key proves who it is; there is no certificate.
        checkServerIdentity: () => undefined,
      });
      track(socket);
      return begin(socket, peer.id);
    },
    onLink(given) {
      handler = given;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The first frame of both ends. */
interface Hello {
  readonly protocol: number;
  readonly id: string;
  /** Id of the gateway that the dialing end wants. */
  readonly to?: string;
}

/** Frames are lines of JSON. The channels (`createProcessPort`) listen to `message` and `disconnect`. */
class Link extends EventEmitter implements PeerLink {
  id = '';
  readonly #socket: TLSSocket;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isOpen = false;

  /** @param check returns what is wrong with a hello */
  constructor(socket: TLSSocket, onFailed: (error: Error) => void, check: (hello: Hello) => string | undefined) {
    super();
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(HELLO_MS, () => socket.destroy(new Error('the gateway does not respond')));
    socket.on('error', onFailed);
    socket.on('close', () => {
      this.#isOpen = false;
      onFailed(new Error('the connection was closed'));
      this.emit('disconnect');
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#read(chunk, check);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  }

  get connected(): boolean {
    return this.#isOpen;
  }

  greet(hello: Hello): void {
    this.#socket.write(`${JSON.stringify(hello)}\n`);
  }

  send(message: object, callback: (error: Error | null) => void): boolean {
    if (this.#socket.writableLength > FRAME_BYTES_MAX) this.#socket.destroy(new Error('the gateway does not read'));
    return this.#socket.write(`${JSON.stringify(message)}\n`, (error) => callback(error ?? null));
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer, check: (hello: Hello) => string | undefined): void {
    for (let from = 0; ; ) {
      const end = chunk.indexOf(10, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.#chunks.push(part);
      this.#bytes += part.length;
      if (this.#bytes > FRAME_BYTES_MAX) throw new Error('a frame is too long');
      if (end < 0) return;
      const frame: unknown = JSON.parse(Buffer.concat(this.#chunks).toString());
      this.#chunks = [];
      this.#bytes = 0;
      from = end + 1;
      if (this.#isOpen) this.emit('message', frame);
      else {
        const hello = frame as Hello;
        this.id = hello.id;
        this.#isOpen = true;
        const fault = check(hello);
        if (fault !== undefined) throw new Error(`the gateway ${fault}`);
        this.#socket.setTimeout(SILENCE_MS);
        // What follows is read once the channels are open.
        this.#socket.pause();
        this.#socket.unshift(chunk.subarray(from));
        setImmediate(() => this.#socket.resume());
        return;
      }
    }
  }
}
