import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../../tools/web/build-program.ts';
import { type Berth, COMPILED, REPO } from './berth.ts';

await buildProgram(REPO, 'apps/cli');

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Folder the command is run in; an empty one unless given. */
  readonly cwd?: string;
  /** More variables, e.g. without the key. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty unless given. */
  readonly input?: string;
  /** Ends the command with SIGINT, as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

/** Runs the real command line against `berth`, in a home folder of its own and without a terminal. */
export async function cli(berth: Berth, words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const home = mkdtempSync(path.join(tmpdir(), 'berth-home-'));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BERTH_'));
  const child = spawn(process.execPath, [path.join(REPO, 'apps/cli/bin/berth.js'), ...words], {
    cwd: options.cwd ?? home,
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...Object.fromEntries(inherited),
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, '.config'),
      BERTH_URL: berth.url,
      BERTH_API_KEY: berth.key,
      // Without it the command line also looks in the repo, where `npm start` keeps a key.
      BERTH_DATA: path.join(home, '.berth'),
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}).end(options.input);
  options.signal?.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  rmSync(home, { recursive: true, force: true });
  return { code, stdout, stderr };
}
