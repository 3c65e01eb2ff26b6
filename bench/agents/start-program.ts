import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** A server of a bench, in a process of its own. */
export interface Program extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts `bench/agents/<file>`, which prints its address when it listens. @throws Error when it ends before. */
export async function startProgram(file: string, argv: readonly string[] = []): Promise<Program> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, file), ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'test' },
  });
  const exit = once(child, 'exit');
  const first = await Promise.race([
    findAddress(createInterface(child.stdout)),
    exit.then(([code]) => Promise.reject(new Error(`${file} ended with ${code} before it listened`))),
  ]);
  // What it logs is not read, and must not stop it.
  child.stdout.resume();
  return {
    url: first,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** The line that is an address; a program may log others before it. */
async function findAddress(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) if (line.startsWith('http://')) return line;
  return new Promise(() => {});
}
