import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createError } from '@berth/contract';
import type { ConnectSpec, InstanceConnection } from '../connect.ts';

/** Time in which a connection is made. */
const DIAL_MS = 30_000;
/** Time of silence after which the kernel asks whether the other side is there. */
const KEEP_ALIVE_MS = 30_000;
const LOOPBACK = '127.0.0.1';

/** Connects to an address that only one instance has. @throws BerthError `port_not_open` */
export async function dialAddress(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true, signal: AbortSignal.timeout(DIAL_MS) });
  try {
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  } catch (error) {
    throw refused(port, error);
  }
  return socket.setNoDelay(true);
}

/**
 * Source of a program that connects to a port of its network's loopback, and hands the socket to its parent: a socket stays in the
 * network that it was made in. It is paused, so that the program reads nothing of what its parent should get.
 */
const DIALER = `
const socket = new (require('node:net').Socket)().pause();
socket.once('error', ({ code }) => process.send({ code }, () => process.disconnect()));
socket.connect({ host: '${LOOPBACK}', port: Number(process.argv[1]) }, () => process.send({}, socket, () => process.disconnect()));`;

/**
 * Connects to a port of the loopback of another network.
 * @param enter A program with arguments that runs the rest of the command in the network.
 * @throws BerthError `port_not_open`
 */
export async function dialInNetwork([program = '', ...args]: readonly string[], port: number): Promise<Socket> {
  const child = spawn(program, [...args, process.execPath, '--input-type=commonjs', '-e', DIALER, String(port)], {
    ...{ stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {}, cwd: '/' },
    ...{ timeout: DIAL_MS, killSignal: 'SIGKILL' },
  });
  try {
    const socket = await new Promise<Socket>((resolve, reject) => {
      // Not `exit`, which may come before the last message.
      child.once('error', reject).once('disconnect', () => reject(new Error('the dialer ended')));
      child.once('message', (message, handle) => {
        if (handle) resolve(handle as Socket);
        else reject(new Error(String((message as { readonly code?: unknown }).code)));
      });
    });
    socket.allowHalfOpen = true;
    return socket.setNoDelay(true);
  } catch (error) {
    child.kill('SIGKILL');
    throw refused(port, error);
  }
}

function refused(port: number, cause: unknown): Error {
  return createError('port_not_open', `Nothing in the instance accepts connections on port ${port}.`, { cause });
}

/** Connects a socket to what its user gave. */
export function toConnection(socket: Socket, { output, onEnd }: Omit<ConnectSpec, 'port'>): InstanceConnection {
  socket.setKeepAlive(true, KEEP_ALIVE_MS).on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const pump = async (): Promise<void> => {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) await output(chunk as Buffer);
    onEnd();
  };
  pump().catch(() => socket.destroy());
  return {
    closed,
    async write(chunk) {
      if (chunk.length === 0 || socket.destroyed || socket.writableEnded) return;
      await new Promise<void>((resolve) => {
        socket.once('close', resolve);
        socket.write(chunk, () => {
          socket.off('close', resolve);
          resolve();
        });
      });
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
