import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The official reference server of the protocol in its own process. It speaks the previous protocol revision. */
export interface EverythingServer extends AsyncDisposable {
  readonly url: string;
}

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** Starts the reference server, retrying on another port when the port is taken. */
export async function serveEverything(): Promise<EverythingServer> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = spawn(process.execPath, [PROGRAM, 'streamableHttp'], {
      env: { PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    if (await isListening(child.stderr)) {
      child.stderr.resume();
      return {
        url: `http://127.0.0.1:${port}/mcp`,
        async [Symbol.asyncDispose]() {
          child.kill('SIGKILL');
          await ended;
        },
      };
    }
    // Another process took the port.
    if (attempt === 5) throw new Error('server-everything does not start');
  }
}

async function isListening(output: NodeJS.ReadableStream): Promise<boolean> {
  for await (const line of createInterface({ input: output })) if (line.includes('listening on port')) return true;
  return false;
}

/** Returns a free port. The server can't choose one itself: it doesn't print its choice. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
