import { type Clock, type Logger, runInBackground } from '@berth/kit';
import {
  isDoomed,
  KILLED_WAIT_MS,
  OUTPUT_GIVE_UP_MS,
  type ProcessInfo,
  readProcess,
  TICKS_PER_SECOND,
} from '@berth/runtime/drivers';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { emptyCgroup } from '../cgroup/empty-cgroup.ts';
import { type LaunchEnd, type Launched, NotExecutedError } from './launch-spec.ts';
import type { SpawnedProgram } from './program.ts';
import type { ProgramOutput } from './program-output.ts';
import { sumPrivateBytes } from './watch-limits.ts';

/** Options of {@link createLaunched}. */
export interface LaunchedOptions {
  /** The spawned process: the program itself or bubblewrap. Undefined when spawning failed. */
  readonly pid: number | undefined;
  readonly program: SpawnedProgram;
  readonly output: ProgramOutput;
  readonly cgroup: Cgroup | undefined;
  readonly hasFreezer: boolean;
  readonly onEnded: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const KILL_POLL_MS = 10;
/** Maximum wait for processes to end: a process in uninterruptible sleep can't be killed. */
const KILL_GIVE_UP_MS = 5_000;

/** Combines a program, its control group and its output. They end together. */
export function createLaunched(options: LaunchedOptions): Launched {
  const { pid, program, output, cgroup, hasFreezer, onEnded, clock, logger } = options;
  let wasKilled = false;
  let wasKilledForMemory = false;
  let hasExited = false;
  /** The processes that were frozen; undefined while the program runs. */
  let frozen: readonly ProcessInfo[] | undefined;

  const setFrozen = (isFrozen: boolean): void => {
    if (cgroup && hasFreezer) cgroup.setFrozen(isFrozen);
    else program.signal(isFrozen ? 'SIGSTOP' : 'SIGCONT');
  };
  const kill = (): void => {
    wasKilled = true;
    // A frozen process receives signals only after it is thawed; a stopped process receives SIGKILL at once.
    if (cgroup && hasFreezer) cgroup.setFrozen(false);
    program.kill();
  };
  const killRest = async (): Promise<void> => {
    const deadline = clock.monotonicMs() + KILL_GIVE_UP_MS;
    // If the program ended while frozen, its other processes receive signals only after they are thawed.
    setFrozen(false);
    program.kill();
    for (; program.pids().length > 0; await clock.sleep(KILL_POLL_MS)) {
      program.kill();
      if (clock.monotonicMs() > deadline) {
        logger.warn({ pids: program.pids() }, "processes that can't be killed were left behind");
        return;
      }
    }
  };

  const ended = (async (): Promise<LaunchEnd> => {
    const { exitCode, signal } = await program.exit;
    hasExited = true;
    await killRest();
    await output.finish(OUTPUT_GIVE_UP_MS);
    const hadOom = !wasKilled && (cgroup?.oomKills() ?? 0) > 0;
    if (cgroup) runInBackground('remove a control group', emptyCgroup(cgroup, clock), logger);
    onEnded();
    // A program may exit because the memory limit killed one of its processes: that counts as out of memory, too.
    return { exitCode, signal, isOutOfMemory: wasKilledForMemory || (hadOom && exitCode !== 0) };
  })();

  const executed = (async (): Promise<void> => {
    try {
      if (await program.release()) return;
    } catch (error) {
      await ended;
      throw error;
    }
    if ((await program.exit).wasExecuted) return;
    await ended;
    throw new NotExecutedError(output.errorText() || 'the system could not execute it');
  })();
  // The caller may await only `ended`.
  executed.catch(() => {});

  return {
    executed,
    ended,
    terminate() {
      setFrozen(false);
      program.signal('SIGTERM');
      // A process that someone stopped receives SIGTERM only after it continues.
      program.signal('SIGCONT');
    },
    kill,
    killForMemory() {
      wasKilledForMemory = true;
      kill();
    },
    cgroup,
    signal(name) {
      program.signal(name);
      program.signal('SIGCONT');
    },
    pids: program.pids,
    cpuMs: () => cgroup?.cpuMs() ?? sumCpuMs(program.pids()),
    memoryBytes: () => cgroup?.memoryBytes() ?? sumPrivateBytes(program.pids()),
    freeze() {
      const pids = new Set([...(pid === undefined ? [] : [pid]), ...program.pids(), ...(cgroup?.pids() ?? [])]);
      frozen ??= [...pids].flatMap((one) => readProcess(one) ?? []).filter(({ state }) => state !== 'Z');
      setFrozen(true);
    },
    async thaw() {
      const wasHit = hasExited || frozen?.some(isDoomed);
      frozen = undefined;
      setFrozen(false);
      if (!wasHit) return false;
      return await Promise.race([ended.then(() => true), clock.sleep(KILLED_WAIT_MS).then(() => false)]);
    },
  };
}

/** Returns the CPU time of living processes, without that of processes that have ended. */
function sumCpuMs(pids: readonly number[]): number {
  const ticks = pids.reduce((sum, pid) => sum + (readProcess(pid)?.cpuTicks ?? 0), 0);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}
