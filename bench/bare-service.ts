import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../tests/harness/free-port.ts';
import { openRawConnection } from '../tests/harness/raw-connection.ts';

/** When a program that was started by hand did what, in milliseconds after its start. */
export interface BareStart {
  readonly portOpenMs: number;
  readonly firstAnswerMs: number;
}

/**
 * The floor under every start: `argv` in `folder`, with nothing of Berth around it, until its port answers a request.
 * The port is tried every millisecond, so that waiting adds next to nothing.
 */
export async function startBare(folder: string, argv: readonly string[]): Promise<BareStart> {
  const port = await freePort();
  const startedMs = performance.now();
  const [program, ...words] = argv as [string, ...string[]];
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: 'ignore',
  });
  try {
    for (;;) {
      const connection = await openRawConnection(port).catch(() => undefined);
      if (!connection) {
        if (child.exitCode !== null) throw new Error(`${argv.join(' ')} ended with ${child.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      using open = connection;
      const portOpenMs = performance.now() - startedMs;
      await open.send('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      const answer = await open.receiveAll();
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${argv.join(' ')} answered ${answer.slice(0, 80)}`);
      return { portOpenMs, firstAnswerMs: performance.now() - startedMs };
    }
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
