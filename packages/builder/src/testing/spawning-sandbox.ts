import { execFile, spawn } from 'node:child_process';
import { access, chmod, constants, lchown, lstat, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { createError } from '@berth/contract';
import type { CommandOutcome, CommandSandbox, CommandSpec } from '@berth/runtime';

/** Options of {@link createSpawningSandbox}. */
export interface SpawningSandboxOptions {
  /** Folders in which programs are found, as in PATH. */
  readonly path: string;
  /** The user that runs commands and owns given folders. Requires root. */
  readonly userId?: number;
}

/** A CommandSandbox that runs real commands, confined only by time, output and (optionally) another user. */
export interface SpawningSandbox extends CommandSandbox {
  /** All commands that ran, in order. */
  readonly commands: readonly CommandSpec[];
}

/** Creates a sandbox that finds programs in `path`. */
export function createSpawningSandbox({ path, userId }: SpawningSandboxOptions): SpawningSandbox {
  const commands: CommandSpec[] = [];
  const findProgram = async (name: string) => {
    for (const folder of path.split(delimiter)) {
      const found = await access(join(folder, name), constants.X_OK)
        .then(() => true)
        .catch(() => false);
      if (found) return join(folder, name);
    }
    return undefined;
  };

  return {
    commands,
    findProgram,
    async findVersion(name) {
      const program = await findProgram(name);
      if (program === undefined) return undefined;
      const shown = await promisify(execFile)(program, [name === 'go' ? 'version' : '--version'], {
        env: { PATH: path },
      });
      return /\d+\.\d+(\.\d+)*/.exec(shown.stdout)?.[0];
    },
    async run(spec, { signal } = {}) {
      commands.push(spec);
      const [program = '', ...args] = spec.argv;
      const file = program.includes('/') ? program : await findProgram(program);
      if (file === undefined) throw createError('build_failed', `${program} does not exist`);
      return runProgram(file, args, spec, { path, userId, signal });
    },
    async giveToOwner(folder) {
      if (userId !== undefined) await walk(folder, (entry) => lchown(entry, userId, userId));
    },
    async seal(folder) {
      if (userId === undefined) return;
      await walk(folder, async (entry) => {
        await lchown(entry, 0, userId);
        const { mode } = await lstat(entry);
        if ((mode & constants.S_IFMT) !== constants.S_IFLNK) await chmod(entry, (mode & 0o755) | ((mode & 0o500) >> 3));
      });
    },
  };
}

interface RunOptions {
  readonly path: string;
  readonly userId: number | undefined;
  readonly signal: AbortSignal | undefined;
}

async function runProgram(
  file: string,
  args: string[],
  spec: CommandSpec,
  options: RunOptions,
): Promise<CommandOutcome> {
  const { path, userId, signal } = options;
  const child = spawn(file, args, {
    cwd: spec.workingFolder,
    env: { PATH: path, ...spec.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(userId === undefined ? {} : { uid: userId, gid: userId }),
  });
  let ended: CommandOutcome['kind'] | undefined;
  const end = (kind: 'timeout' | 'output_limit' | 'cancelled') => {
    ended ??= kind;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => end('timeout'), spec.limits.timeoutMs);
  const cancel = () => end('cancelled');
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();

  const exited = new Promise<CommandOutcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, reason) => {
      if (ended !== undefined) resolve({ kind: ended } as CommandOutcome);
      else if (exitCode !== null) resolve({ kind: 'exited', exitCode });
      else resolve({ kind: 'signalled', signal: reason ?? 'SIGKILL' });
    });
  });
  const output = new PassThrough();
  let outputBytes = 0;
  let open = 2;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      outputBytes += chunk.byteLength;
      if (outputBytes > spec.limits.outputBytes) end('output_limit');
      else output.write(chunk);
    });
    stream.on('close', () => {
      if (--open === 0) output.end();
    });
  }
  try {
    const lines = (async () => {
      for await (const line of createInterface({ input: output })) await spec.onLine(line);
    })();
    const [outcome] = await Promise.all([exited, lines]);
    return outcome;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function walk(path: string, visit: (path: string) => Promise<void>): Promise<void> {
  await visit(path);
  const stats = await lstat(path);
  if (!stats.isDirectory()) return;
  for (const name of await readdir(path)) await walk(join(path, name), visit);
}
