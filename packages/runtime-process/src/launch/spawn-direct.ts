import type { ChildProcess } from 'node:child_process';
import { hasProcessTable, readProcess } from '@berth/runtime/drivers';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { findMembers, trySignal } from '../process-table/find-members.ts';
import {
  hold,
  isNotExecutedCode,
  type ProgramExit,
  type SpawnedProgram,
  type SpawnOptions,
  waitForExit,
} from './program.ts';
import { identifyFile, waitForExec } from './wait-for-exec.ts';

/** Options of {@link spawnDirect}. */
export interface DirectSpawn extends SpawnOptions {
  /** The user that Node itself switches to, where there is no `setpriv`. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** The user that its processes run as, by which they are recognized. */
  readonly uid: number | undefined;
  readonly workingFolder: string;
  readonly privateFolder: string;
  /** The program makes a session of its own, with its terminal. */
  readonly hasTerminal: boolean;
}

/**
 * Spawns a program without a sandbox, in its own session, so that its process group can be signaled as one. The program is stopped at once,
 * while a wrapper still runs, and moved into its control group.
 */
export function spawnDirect(options: DirectSpawn): { readonly child: ChildProcess; readonly program: SpawnedProgram } {
  const { argv, user, uid, env, workingFolder, privateFolder, stdio, cgroup, wrappers, onSpawned, spawn, clock } =
    options;
  const [program = '', ...args] = argv;
  const detached = !options.hasTerminal;
  const child = spawn(program, args, { cwd: workingFolder, env, detached, stdio, ...user });
  const { pid } = child;
  let isOver = pid === undefined;
  let wasSeen = false;
  const leader = pid === undefined ? undefined : readProcess(pid);
  if (leader) onSpawned(leader);
  // The signal arrives within microseconds, so a wrapper that still runs now can't go on to the program.
  if (leader) trySignal(leader.pid, 'SIGSTOP');
  const wasEarly = leader !== undefined && wrappers.has(identifyFile(`/proc/${leader.pid}/exe`) ?? '');
  /** All descendants are in the control group. */
  let isComplete = false;

  const exit = (async (): Promise<ProgramExit> => {
    const { code, signal } = await waitForExit(child);
    isOver = true;
    const isWrapped = wrappers.has(identifyFile(program) ?? '');
    const wasExecuted = pid !== undefined && (wasSeen || !isWrapped || !isNotExecutedCode(code));
    return { exitCode: code, signal, wasExecuted };
  })();

  const pids = (): readonly number[] => {
    // All descendants were started inside the group, so the process table needn't be searched.
    if (cgroup && isComplete) return cgroup.pids();
    const members = findMembers({ leader, folder: privateFolder, uid }).map((info) => info.pid);
    return [...new Set([...members, ...(cgroup?.pids() ?? [])])];
  };
  const signal = (name: NodeJS.Signals): void => {
    // The process group is signaled as one, so that no new fork is missed. After the leader was reaped its id may belong to another group, so
    // only known members are signaled (without a process table, still the group).
    if (pid !== undefined && (!isOver || !hasProcessTable())) trySignal(-pid, name);
    for (const member of pids()) if (isOver || readProcess(member)?.group !== pid) trySignal(member, name);
  };
  const kill = (): void => {
    signal('SIGKILL');
    cgroup?.kill();
  };
  const held = hold(async () => {
    if (leader && cgroup) await addIfAlive(cgroup, leader.pid);
    isComplete = wasEarly;
    return wasEarly;
  }, kill);
  const release = async (): Promise<boolean> => {
    await held;
    if (pid !== undefined) trySignal(pid, 'SIGCONT');
    const hasEnded = () => isOver;
    wasSeen = await waitForExec(() => pid, wrappers, hasEnded, clock);
    // Processes forked before the move are still outside of the group.
    if (cgroup && !wasEarly) for (const member of pids()) await addIfAlive(cgroup, member);
    return wasSeen;
  };
  return { child, program: { held, release, exit, pids, signal, kill } };
}

async function addIfAlive(cgroup: Cgroup, pid: number): Promise<void> {
  try {
    await cgroup.add(pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
