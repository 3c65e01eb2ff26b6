import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { findServer } from './find-server.ts';

/** A program of the server that prints lines of JSON. */
export interface ServerProgram<Line> {
  /** Path below the server's sources. */
  readonly program: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onLine(line: Line): void;
}

/**
 * Runs a program of the server on this machine. Returns false when it fails; the reason is on standard error.
 * @throws BerthError `unavailable` when the server isn't installed here
 */
export async function runServerProgram<Line>(options: ServerProgram<Line>): Promise<boolean> {
  const { program, words, environment, signal, onLine } = options;
  const server = findServer();
  const child = spawn(server.node, [server.program(program), ...words], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  createInterface({ input: child.stdout }).on('line', (line) => onLine(JSON.parse(line) as Line));
  const [code] = await ended;
  return code === 0;
}
