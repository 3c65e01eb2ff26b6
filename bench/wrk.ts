import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CORES } from './pin-process.ts';

export interface WrkOptions {
  /** Where it connects to: the loopback address unless said. */
  readonly address?: string;
  readonly port: number;
  /** The `Host` header. */
  readonly host: string;
  readonly connections: number;
  readonly seconds: number;
  /** `/` unless said. */
  readonly target?: string;
  /** Size of the body that each request sends; without it, requests are GET. */
  readonly bodyBytes?: number;
  readonly isEncrypted?: boolean;
}

/** A closed-loop run: each connection sends its next request when it has its answer. */
export interface WrkResult {
  readonly requestsPerSecond: number;
  readonly requests: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

/**
 * Runs wrk with one thread on the core of the load. @throws Error when it is not installed, when a request failed or was
 * not answered with 2xx or 3xx, and when there was no answer at all.
 */
export async function runWrk({
  address = '127.0.0.1',
  port,
  host,
  connections,
  seconds,
  target = '/',
  bodyBytes = 0,
  isEncrypted = false,
}: WrkOptions): Promise<WrkResult> {
  const script = path.join(import.meta.dirname, 'wrk.lua');
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-H', `Host: ${host}`, '-s', script];
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', String(CORES.load)];
  // The name is in the certificate, and goes into SNI.
  const origin = isEncrypted ? `https://localhost:${port}` : `http://${address}:${port}`;
  const argv = [...pinned, 'wrk', ...words, `${origin}${target}`, '--', String(bodyBytes)];
  const child = spawn(argv[0] as string, argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]).catch((cause: unknown) => {
    throw new Error('this benchmark needs wrk and taskset: apt-get install wrk util-linux', { cause });
  });
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (code !== 0 || line === undefined) throw new Error(`wrk ended with ${code}: ${errors}${output}`);
  const { requests, durationUs, failures, p50Us, p99Us } = JSON.parse(line) as Record<string, number>;
  if (!requests || !durationUs || failures !== 0) throw new Error(`port ${port}: wrk saw failures: ${line}`);
  return { requestsPerSecond: requests / (durationUs / 1e6), requests, p50Us: p50Us ?? 0, p99Us: p99Us ?? 0 };
}
