import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';

/** Options of {@link startBerth}. */
export interface RunBerthOptions {
  /** More variables. Those of the developer aren't passed on, except PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What comes on standard input; it is closed after that. */
  readonly input?: string;
  /** The Node that runs the launcher. */
  readonly node?: string;
}

/** How a `berth` command ended. */
export interface BerthResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `berth` that runs. */
export interface RunningBerth {
  readonly process: ChildProcessWithoutNullStreams;
  /** What it has printed so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly result: Promise<BerthResult>;
}

/** Compiled code of one run serves the next; a cold start each time would double the time of the tests. */
const CACHE = path.resolve(import.meta.dirname, '../../../../node_modules/.cache');
const LAUNCHER = path.resolve(import.meta.dirname, '../../bin/berth.js');

/** Starts the real command line, without a terminal. `cwd` is its home, and `.berth` there its only data folder. */
export function startBerth(words: readonly string[], options: RunBerthOptions): RunningBerth {
  const child = spawn(options.node ?? process.execPath, [LAUNCHER, ...words], {
    cwd: options.cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: options.cwd,
      XDG_CACHE_HOME: CACHE,
      // Without it the command line also looks in the repo, where `npm start` keeps a key.
      BERTH_DATA: path.join(options.cwd, '.berth'),
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return {
    process: child,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    result: new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr }))),
  };
}

/** Runs it to its end. */
export function runBerth(words: readonly string[], options: RunBerthOptions): Promise<BerthResult> {
  return startBerth(words, options).result;
}
