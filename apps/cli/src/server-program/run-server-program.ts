import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of the server that prints lines of JSON. */
export interface ServerProgram<Line> {
  /** Path below the server's sources. */
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onLine(line: Line): void;
}

/** Runs a program of the server on this machine. Returns false when it fails; the reason is on standard error. */
export async function runServerProgram<Line>(options: ServerProgram<Line>): Promise<boolean> {
  const { program, words, environment, signal, onLine } = options;
  const file = fileURLToPath(new URL(`../../../server/src/${program}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...words], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  createInterface({ input: child.stdout }).on('line', (line) => onLine(JSON.parse(line) as Line));
  const [code] = await ended;
  return code === 0;
}
