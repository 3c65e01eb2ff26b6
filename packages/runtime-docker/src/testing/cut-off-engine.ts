import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Engine, openEngine, parseEngineAddress } from '../engine/open-engine.ts';

/** An engine behind a socket of the test's own, which can go away as an engine that is stopped does. */
export interface CutOffEngine extends AsyncDisposable {
  readonly engine: Engine;
  /** Ends every connection, and refuses new ones. */
  leave(): Promise<void>;
  return(): Promise<void>;
}

export async function createCutOffEngine({ address }: Engine): Promise<CutOffEngine> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-engine-'));
  const socketPath = path.join(folder, 'docker.sock');
  const { socketPath: target } = parseEngineAddress(address);
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  const join = (near: Socket) => {
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
    }
  };
  const open = async () => {
    server = createServer(join).listen(socketPath);
    await once(server, 'listening');
  };
  const leave = async () => {
    const closed = server && once(server, 'close');
    server?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  };
  await open();
  return {
    engine: await openEngine(parseEngineAddress(socketPath)),
    leave,
    return: open,
    async [Symbol.asyncDispose]() {
      await leave();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
