import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CORES } from '../pin-process.ts';
import { quantile } from '../statistics.ts';

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
  const words = [`-c${connections}`, `-m${streams}`, `-D${seconds}`, '-H', `:authority: ${host}`];
  return await h2load([...words, `https://localhost:${port}/`]);
}

/** Options of {@link measureAtRate}. */
export interface RateOptions {
  /** Port of 127.0.0.1 that speaks HTTP/1.1. */
  readonly port: number;
  readonly host: string;
  readonly connections: number;
  /** Requests a second on each connection, each sent at its time. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** Sends HTTP/1.1 requests at a fixed rate, and returns the 99th percentile of their latency in microseconds. @throws as {@link runH2load} */
export async function measureAtRate({ port, host, connections, perSecond, seconds }: RateOptions): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-h2load-'));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  const log = path.join(folder, 'requests');
  const words = ['--h1', `-c${connections}`, `--rps=${perSecond}`, `-D${seconds}`, `--log-file=${log}`];
  await h2load([...words, '-H', `:authority: ${host}`, `http://127.0.0.1:${port}/`]);
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  return quantile(
    lines.map((line) => Number(line.split('\t')[2])),
    0.99,
  );
}

async function h2load(words: readonly string[]): Promise<number> {
  const pinned = availableParallelism() < 2 ? [] : ['taskset', '-c', String(CORES.load)];
  const argv = [...pinned, 'h2load', '-t1', ...words];
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
    throw new Error(`${argv.join(' ')} ended with ${code}: ${errors}${output}`);
  return succeeded;
}
