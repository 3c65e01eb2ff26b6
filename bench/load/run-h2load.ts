import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { CORES } from '../pin-process.ts';

/** Options of {@link runH2load}. */
export interface H2loadOptions {
  /** Port of localhost that speaks HTTP/2 over TLS. */
  readonly port: number;
  readonly host: string;
  readonly connections: number;
  /** Requests in flight on each connection. */
  readonly streams: number;
  readonly seconds: number;
}

/**
 * Runs h2load with one thread on the core of the load, and returns how many requests were answered with 2xx. @throws Error when it
 * is not installed, and when a request failed
 */
export async function runH2load({ port, host, connections, streams, seconds }: H2loadOptions): Promise<number> {
  const words = ['-t1', `-c${connections}`, `-m${streams}`, `-D${seconds}`, '-H', `:authority: ${host}`];
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', String(CORES.load)];
  const argv = [...pinned, 'h2load', ...words, `https://localhost:${port}/`];
  const child = spawn(argv[0] as string, argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]).catch((cause: unknown) => {
    throw new Error('this benchmark needs h2load and taskset: apt-get install nghttp2-client util-linux', { cause });
  });
  const found = /^requests: .* (\d+) done, (\d+) succeeded, (\d+) failed/m.exec(output);
  const [done, succeeded, failed] = (found ?? []).slice(1).map(Number);
  if (code !== 0 || !succeeded || done !== succeeded || failed !== 0)
    throw new Error(`port ${port}: h2load ended with ${code}: ${errors}${output}`);
  return succeeded;
}
