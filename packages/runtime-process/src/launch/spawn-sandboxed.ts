import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readProcess, signalOfExitCode } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';
import { type SandboxOptions, sandboxArguments } from '../bubblewrap/sandbox-arguments.ts';
import { findDescendants, findMembers, trySignal } from '../process-table/find-members.ts';
import { withFilter } from '../seccomp/filter.ts';
import type { VerifiedFolder } from './launch-spec.ts';
import { openGate } from './open-gate.ts';
import { hold, type ProgramExit, type SpawnedProgram, type SpawnOptions, waitForExit } from './program.ts';
import { verifyFolders, waitForExec } from './wait-for-exec.ts';

/** Options of {@link spawnSandboxed}. `argv` is the tenant's program, the first one that runs in the sandbox. */
export interface SandboxedSpawn extends SpawnOptions {
  /** Path of bubblewrap, after the wrappers that limit it. */
  readonly bubblewrap: readonly string[];
  readonly sandbox: Omit<SandboxOptions, 'statusFd' | 'blockFd' | 'seccompFd'>;
  /** Descriptor of the user namespace that the sandbox enters; undefined for one of its own. */
  readonly namespace: number | undefined;
  /** A path in it in the environment marks the program's processes. The gate is in it. */
  readonly markFolder: string;
  /** Path of the compiled system call filter. */
  readonly seccompFilter: string | undefined;
  readonly verified: readonly VerifiedFolder[];
}

const STATUS_FD = 3;
const BLOCK_FD = 4;
/** The descriptor number of {@link SandboxedSpawn.namespace} in bubblewrap. */
export const NAMESPACE_FD = 5;

/**
 * Spawns a program inside bubblewrap. There are three processes: bubblewrap outside, which waits; the first process of the pid namespace,
 * which reaps; and the program. The end of the first process ends everything in the namespace, and it ends when bubblewrap or this server
 * dies.
 */
export function spawnSandboxed(options: SandboxedSpawn): {
  readonly child: ChildProcess;
  readonly program: SpawnedProgram;
} {
  const { bubblewrap, sandbox, namespace, markFolder, argv, env, stdio, verified } = options;
  const { cgroup, wrappers, onSpawned, spawn, clock } = options;
  const gate = openGate(markFolder, BLOCK_FD);
  const [program = '', ...wrapped] = bubblewrap;
  const descriptors = [...stdio, 'pipe', gate.stdio, ...(namespace === undefined ? [] : [namespace])] as const;
  const child = withFilter(options.seccompFilter, (filter) => {
    const seccompFd = filter === undefined ? undefined : descriptors.length;
    const args = sandboxArguments({ ...sandbox, statusFd: STATUS_FD, blockFd: BLOCK_FD, seccompFd });
    return spawn(program, [...wrapped, ...args, '--', ...argv], {
      cwd: '/',
      env,
      // Ctrl-C in the terminal must not reach it: the server decides when it ends.
      detached: true,
      stdio: [...descriptors, ...(filter === undefined ? [] : [filter])],
    });
  });
  const leader = child.pid === undefined ? undefined : readProcess(child.pid);
  if (leader) onSpawned(leader);

  let first: { readonly pid: number; readonly startTicks: number } | undefined;
  let isOver = false;
  let wasSeen = false;
  const known = Promise.withResolvers<void>();
  const status = readSandboxStatus(child.stdio[STATUS_FD] as Readable | null | undefined, (pid) => {
    first = readProcess(pid);
    known.resolve();
  });
  const exit = (async (): Promise<ProgramExit> => {
    const { code, signal } = await waitForExit(child);
    isOver = true;
    gate.close();
    known.resolve();
    const wasExecuted = (await status) || wasSeen;
    // Like a shell, bubblewrap exits with 128 + n when signal n ended the program.
    const name = signalOfExitCode(code ?? 0);
    return name === undefined ? { exitCode: code, signal, wasExecuted } : { exitCode: null, signal: name, wasExecuted };
  })();

  const isFirstAlive = (): boolean => first !== undefined && readProcess(first.pid)?.startTicks === first.startTicks;
  // A stopped bubblewrap wouldn't notice that the program has ended, and so would never end itself.
  const wake = (): void => {
    if (first && isFirstAlive()) trySignal(first.pid, 'SIGCONT');
    if (leader && !isOver) trySignal(leader.pid, 'SIGCONT');
  };
  const kill = (): void => {
    if (first && isFirstAlive()) trySignal(first.pid, 'SIGKILL');
    wake();
    if (first || !leader) return;
    // bubblewrap may have made the first process without having reported it yet. That process is still in the same session, but doesn't yet
    // end together with bubblewrap.
    for (const { pid } of findMembers({ leader, folder: markFolder })) trySignal(pid, 'SIGKILL');
  };
  const hasEnded = () => isOver;
  const held = hold(async () => {
    await known.promise;
    if (!first) return false;
    // The first process waits at the gate and has no child yet, so all its descendants will start in the group.
    await cgroup?.add(first.pid);
    await verifyFolders(first.pid, verified, hasEnded, clock);
    return true;
  }, kill);
  const release = async (): Promise<boolean> => {
    await held;
    if (!first) return false;
    const { pid } = first;
    if (!isOver) gate.open(child);
    wasSeen = await waitForExec(() => findChild(pid), wrappers, hasEnded, clock);
    return wasSeen;
  };
  const pids = (): readonly number[] =>
    first && isFirstAlive() ? findDescendants(first.pid).map((info) => info.pid) : [];
  const signal = (name: NodeJS.Signals): void => {
    if (name === 'SIGCONT') wake();
    for (const pid of pids()) trySignal(pid, name);
  };
  return { child, program: { held, release, exit, pids, signal, kill } };
}

/** Returns the program's pid: it is the first child of the namespace's first process. */
function findChild(pid: number): number | undefined {
  const [first] = readIfThere(`/proc/${pid}/task/${pid}/children`).split(' ');
  // Kernels without CONFIG_PROC_CHILDREN have no such file.
  return first ? Number(first) : findDescendants(pid)[0]?.pid;
}

/**
 * Reads the messages of bubblewrap on its status descriptor, one JSON object per line (bwrap(1), `--json-status-fd`), until the end of the
 * stream. Returns whether the program was executed.
 * @param onFirst Receives the pid of the namespace's first process.
 */
export async function readSandboxStatus(
  stream: Readable | null | undefined,
  onFirst: (pid: number) => void,
): Promise<boolean> {
  let hasExecuted = false;
  if (!stream) return false;
  try {
    for await (const line of createInterface({ input: stream })) {
      const message = parseLine(line);
      if (typeof message['child-pid'] === 'number') onFirst(message['child-pid']);
      if ('exit-code' in message) hasExecuted = true;
    }
  } catch {
    // The stream broke off. The messages so far count.
  }
  return hasExecuted;
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}
