import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildProgram } from '../../tools/web/build-program.ts';
import { RUNTIME, removeFromCluster, runtimeSettings } from './runtime.ts';
import { databaseOf, dropDatabaseOf } from './test-database.ts';
import { waitFor } from './wait-for.ts';

/** Root of the repo. */
export const REPO = path.resolve(import.meta.dirname, '../..');

// As before `npm start`.
await buildProgram(REPO, 'apps/server');

/** The command line of `npm start` in a working tree, without `node` itself. */
function readStartCommand(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const words = scripts.start.split(' ').slice(1);
  return words.map((word) => (word.startsWith('-') ? word : path.join(root, word)));
}

export interface BerthOptions {
  /** More words for the server's command line. */
  readonly args?: readonly string[];
  /** More `BERTH_` settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Deploy `examples/hello-node` on the first start. Off by default: most tests don't look at it. */
  readonly hasExample?: boolean;
  /** Let the server make the first account's key, as it does for people, and read it from the data folder. */
  readonly hasGeneratedKey?: boolean;
  /** A program and its first words, which replaces itself by the server: how it is started as another user. */
  readonly launcher?: readonly string[];
  /** The working tree whose server is started; this one by default. */
  readonly root?: string;
  /** Where its data is; an empty folder of its own unless given. Removed with the server. */
  readonly dataFolder?: string;
  /** API key of the first account; a new one unless given. */
  readonly key?: string;
  /** Address under which the test reaches it; 127.0.0.1 unless given. */
  readonly host?: string;
}

/** How the server's process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real server on a data folder and a port of its own. */
export interface Berth extends AsyncDisposable {
  /** Base URL of the control plane. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly dataFolder: string;
  /** API key of the first account. */
  readonly key: string;
  /** All that the server has printed in all its starts. */
  readonly output: string;
  /** Resolves when `/readyz` answers `readyStatus` (200). Again after {@link stop} or {@link kill9}: same data folder, same port. */
  start(readyStatus?: 200 | 503): Promise<void>;
  /** Sends `signal` (SIGTERM) and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
  /** Ends the server as a power cut would. */
  kill9(): Promise<void>;
  /** Calls the control plane with the first account's key; an own `X-API-Key` header in `init` wins. */
  api(route: string, init?: RequestInit): Promise<Response>;
  /** {@link api} with a JSON body. */
  post(route: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** A start takes 2 s; on a machine that does much else it may take twenty times that. */
const START_BOUND = { timeoutMs: 60_000 };

/** Returns an API key for a first account. */
export function newKey(): string {
  return `test-key-${crypto.randomUUID()}-${crypto.randomUUID()}`;
}

/** A server that is not started yet. */
export function createBerth(options: BerthOptions = {}): Berth {
  const dataFolder = options.dataFolder ?? mkdtempSync(path.join(tmpdir(), 'berth-data-'));
  const { host = '127.0.0.1' } = options;
  let key = options.hasGeneratedKey ? '' : (options.key ?? newKey());
  let port = 0;
  let child: ChildProcess | undefined;
  let output = '';

  const running = (): ChildProcess => {
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server is not running; it printed:\n${output}`);
    }
    return child;
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> => {
    const process = running();
    const ended = once(process, 'exit');
    process.kill(signal);
    const [code, signalCode] = await ended;
    return { code, signal: signalCode };
  };
  const api = (route: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://${host}:${port}${route}`, {
      ...init,
      headers: { 'X-API-Key': key, ...(init.headers as Record<string, string>) },
    });

  const berth: Berth = {
    get url() {
      return `http://${host}:${port}`;
    },
    host,
    get port() {
      return port;
    },
    get pid() {
      return running().pid as number;
    },
    dataFolder,
    get key() {
      return key;
    },
    get output() {
      return output;
    },
    async start(readyStatus = 200) {
      if (options.root) await buildProgram(options.root, 'apps/server');
      const words = ['--port', String(port), '--data', dataFolder, ...(options.args ?? [])];
      const process = spawnServer(
        words,
        {
          ...(options.hasGeneratedKey ? {} : { BERTH_BOOTSTRAP_KEY: key }),
          BERTH_EXAMPLE: options.hasExample ? 'true' : 'false',
          ...(await databaseOf(dataFolder)),
          ...options.env,
        },
        options.launcher,
        options.root,
      );
      child = process;
      const before = output.length;
      const take = (chunk: Buffer) => {
        output += chunk.toString();
      };
      process.stdout?.on('data', take);
      process.stderr?.on('data', take);
      await waitFor(
        'the server is ready',
        async () => {
          running();
          port ||= Number(/https?:\/\/[^\s/]+:(\d+)/.exec(output.slice(before))?.[1] ?? 0);
          if (port === 0) return false;
          const answer = await fetch(`http://${host}:${port}/readyz`).catch(() => undefined);
          // While it starts, every request is answered 503 with a text.
          const isAnswer = answer?.headers.get('content-type')?.startsWith('application/json');
          return isAnswer === true && answer?.status === readyStatus;
        },
        START_BOUND,
      );
      key ||= readFileSync(path.join(dataFolder, 'api-key'), 'utf8').trim();
    },
    stop,
    async kill9() {
      await stop('SIGKILL');
    },
    api,
    post: (route, body, headers = {}) =>
      api(route, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async close() {
      if (child && child.exitCode === null && child.signalCode === null) {
        // A server that hangs on its way out must not hang the tests; the suites that test the way out use stop().
        const hammer = setTimeout(() => child?.kill('SIGKILL'), 20_000);
        await stop();
        clearTimeout(hammer);
      }
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 });
      await dropDatabaseOf(dataFolder);
      if (RUNTIME === 'kubernetes') await removeFromCluster(runtimeSettings(dataFolder));
    },
    [Symbol.asyncDispose]: () => berth.close(),
  };
  return berth;
}

/** A running server; close it, or declare it with `await using`. */
export async function startBerth(options: BerthOptions = {}): Promise<Berth> {
  const berth = createBerth(options);
  await berth.start().catch(async (error: unknown) => {
    await berth.close();
    throw error;
  });
  return berth;
}

/** Servers of tests begin with an empty data folder each: without this every process of each compiles all sources again. */
export const COMPILED = path.join(REPO, 'node_modules/.cache/berth-tests');

/** Of the caller's own `BERTH_` variables, those that say how all servers of a test run are to be. */
const PASSED_ON = ['BERTH_GATEWAY_WORKERS'];

/** Spawns the server with exactly these settings, and with what a test run is to be run with. */
export function spawnServer(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  launcher: readonly string[] = [],
  root = REPO,
): ChildProcess {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('BERTH_') || PASSED_ON.includes(name),
  );
  // A volume's group, as in the chart: services reach their volumes through it.
  const group = RUNTIME === 'kubernetes' ? ['setpriv', '--regid', '10001', '--clear-groups'] : [];
  const [program = '', ...rest] = [...launcher, ...group, process.execPath, ...readStartCommand(root), ...words];
  return spawn(program, rest, {
    cwd: tmpdir(),
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...Object.fromEntries(inherited),
      ...(settings['BERTH_RUNTIME'] === undefined && runtimeSettings(words[words.indexOf('--data') + 1] ?? '')),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
