import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface RunSandboxedOptions {
  /** A line for `/bin/sh`. */
  readonly command: string;
  /** The workspace; absolute, exists. */
  readonly folder: string;
  /** See `sandboxArguments`. */
  readonly hasProc: boolean;
  /** Processor time of each process. */
  readonly cpuSeconds: number;
  /** Address space of each process; no bound by default. */
  readonly memoryMib?: number;
  /** Further system folders that the command may read. */
  readonly readable?: readonly string[];
  /** Folder of skills that the command may read, as {@link SKILLS_INSIDE}; absolute, exists. */
  readonly skillsFolder?: string | undefined;
  /** Id of the user and group of the process outside the sandbox; the agent's own by default. */
  readonly userId?: number | undefined;
  readonly signal: AbortSignal;
}

export interface CommandOutcome {
  /** 128 and above: ended by a signal. */
  readonly exitCode: number;
  /** Standard output and error, interleaved; a long output keeps its beginning and its end. */
  readonly output: string;
}

/** Bytes kept of the output's beginning, and again of its end. */
const KEPT_BYTES = 16_384;
/** Half a GiB, in the 512-byte blocks of POSIX. */
const FILE_BLOCKS = 1_048_576;
const PROCESSES = 256;
/** The environment of bubblewrap itself: a search path, and nothing of the agent's. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/**
 * The limits, then the command: it stands in an argument of its own, so that this text is the same for all commands. The
 * number of processes is `-u` to some shells and `-p` to others.
 */
const LIMITED = `ulimit -t "$2"; ulimit -v "$3"; ulimit -f ${FILE_BLOCKS}; ulimit -c 0; ulimit -u ${PROCESSES} 2>/dev/null || ulimit -p ${PROCESSES} 2>/dev/null; exec /bin/sh -c "$1"`;

/**
 * Runs a command that sees the workspace and nothing else of the agent. Every process it starts ends with it and with the signal.
 * @throws the signal's reason, and the system's error when bubblewrap can't be started.
 */
export function runSandboxed(options: RunSandboxedOptions): Promise<CommandOutcome> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawnSandboxed(options, 0);
    if (!child.stdout || !child.stderr) return reject(new TypeError('The command has no output.'));
    const output = createOutput();
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.add(chunk));
    // When bubblewrap dies, its PID namespace and every process inside end too.
    const onAbort = () => child.kill('SIGKILL');
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', reject);
    child.on('close', (code, name) => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) reject(signal.reason);
      else resolve({ exitCode: code ?? (name === null ? 1 : 128), output: output.text() });
    });
  });
}

/** As {@link RunSandboxedOptions}, for a program that its caller ends. */
export type SpawnSandboxedOptions = Omit<RunSandboxedOptions, 'signal'>;

/**
 * Starts a command as {@link runSandboxed} does. Killing the child ends every process inside; they also end with the agent.
 * @param pipes how many pipes it has besides its output, from file descriptor 3 on.
 */
export function spawnSandboxed(options: SpawnSandboxedOptions, pipes: number): ChildProcess {
  const { command, folder, hasProc, cpuSeconds, memoryMib, readable, skillsFolder, userId } = options;
  const memoryKib = memoryMib === undefined ? 'unlimited' : String(memoryMib * 1_024);
  const shell = ['/bin/sh', '-c', LIMITED, 'sh', command, String(cpuSeconds), memoryKib];
  const skills = skillsFolder === undefined ? [] : ['--ro-bind', skillsFolder, SKILLS_INSIDE];
  return spawn('bwrap', [...sandboxArguments(folder, hasProc, readable, skills), '--', ...shell], {
    env: ENVIRONMENT,
    ...(userId !== undefined && { uid: userId, gid: userId }),
    stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: pipes }, () => 'pipe' as const)],
  });
}

/** Collects the beginning and the end of an output of any length. */
function createOutput() {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let dropped = 0;
  return {
    add(chunk: Buffer) {
      const room = KEPT_BYTES - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = Buffer.concat([tail, chunk.subarray(Math.max(0, room))]);
      dropped += Math.max(0, rest.length - KEPT_BYTES);
      tail = rest.subarray(Math.max(0, rest.length - KEPT_BYTES));
    },
    text() {
      const note = dropped === 0 ? '' : `\n[… ${dropped} bytes left out …]\n`;
      return `${head.toString('utf8')}${note}${tail.toString('utf8')}`;
    },
  };
}

/** Programs and libraries; on most systems all but the first are symlinks into it. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'];
/** Files that programs read in `/etc`: no users, no secrets, no network. */
const ETC = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime'];
/** Size of `/tmp` and `/dev/shm`, which are in memory. */
const SCRATCH_BYTES = String(256 * 1_048_576);
/** User ID inside the sandbox. */
const USER = '1000';

/** Where the workspace is, for a command. */
export const INSIDE = '/workspace';

/** Where the agent's skills are, for a command. */
export const SKILLS_INSIDE = '/skills';

/**
 * The arguments of bubblewrap before the command: a fresh root with the system read-only, the workspace to write in, an
 * empty `/tmp`, no network, no other processes, no capability, none of the agent's environment.
 * @param folder the workspace; absolute.
 * @param hasProc false where the kernel doesn't allow mounting a `/proc`: inside another sandbox that hides parts of
 * its own. Then there is none, and never the one outside.
 * @param readable more folders of the system to be read, those of them that are there.
 * @param mounts further arguments that mount folders.
 */
function sandboxArguments(
  folder: string,
  hasProc: boolean,
  readable: readonly string[] = [],
  mounts: readonly string[] = [],
): readonly string[] {
  const programs = PROGRAM_FOLDERS.filter((path) => existsSync(path)).flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path],
  );
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--uid', USER, '--gid', USER, '--hostname', 'sandbox', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'HOME', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
    ...programs,
    ...[...ETC, ...readable].flatMap((path) => ['--ro-bind-try', path, path]),
    ...(hasProc ? ['--proc', '/proc'] : ['--dir', '/proc']),
    ...['--dev', '/dev', '--size', SCRATCH_BYTES, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', SCRATCH_BYTES, '--tmpfs', '/tmp', '--bind', folder, INSIDE, '--chdir', INSIDE],
    ...mounts,
    // What was made to mount on is memory too.
    ...['--remount-ro', '/'],
  ];
}

/** Capabilities of bubblewrap on this machine. */
export type SandboxProbe = { readonly hasProc: boolean } | { readonly problem: string };

const PROBE_MS = 10_000;

/**
 * Runs a command in the sandbox to see whether bubblewrap works: it may be missing, or namespaces or a `/proc` may be forbidden.
 * @param userId the user to try it as; see `RunSandboxedOptions`.
 */
export async function probeSandbox(userId?: number): Promise<SandboxProbe> {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-sandbox-'));
  try {
    if (userId !== undefined) await chown(folder, userId, userId);
    const withProc = await tryCommand(folder, true, userId);
    if (withProc === undefined) return { hasProc: true };
    const problem = await tryCommand(folder, false, userId);
    return problem === undefined ? { hasProc: false } : { problem };
  } catch (error) {
    return { problem: `bubblewrap cannot be used (${(error as Error).message})` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns why it does not work; undefined when it does. */
async function tryCommand(folder: string, hasProc: boolean, userId?: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const asked = { command: 'exit 0', folder, hasProc, cpuSeconds: 1, userId, signal };
  const { exitCode, output } = await runSandboxed(asked);
  return exitCode === 0 ? undefined : `bubblewrap does not work here (${output.trim()})`;
}
