import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Cgroup } from '../cgroup/cgroup.ts';
import { emptyCgroup } from '../cgroup/empty-cgroup.ts';
import { isDoomed } from '../process-table/is-doomed.ts';
import { type ProcessInfo, readProcess, TICKS_PER_SECOND } from '../process-table/read-processes.ts';
import { type LaunchEnd, type Launched, NotExecutedError } from './launch-spec.ts';
import type { SpawnedProgram } from './program.ts';
import type { ProgramOutput } from './program-output.ts';
import { sumPrivateBytes } from './watch-limits.ts';

export interface LaunchedOptions {
  /** The process that was spawned: the program itself or bubblewrap. Undefined when there was none. */
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
/** A process in uninterruptible sleep can't be ended; nobody waits for it longer than this. */
const KILL_GIVE_UP_MS = 5_000;
/**
 * Time that a program has to end after a process of it was killed while it was frozen. A program may outlive that process:
 * then it serves this much later.
 */
const KILLED_WAIT_MS = 2_000;
/** For the sink to take what is still in the pipes. */
const OUTPUT_GIVE_UP_MS = 5_000;

/** Puts program, control group and output together into one thing with one end. */
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
    // A frozen process takes a signal only when it is thawed; one that is stopped takes SIGKILL at once.
    if (cgroup && hasFreezer) cgroup.setFrozen(false);
    program.kill();
  };
  const killRest = async (): Promise<void> => {
    const deadline = clock.monotonicMs() + KILL_GIVE_UP_MS;
    // The rest of a program that ended while it was frozen takes no signal otherwise.
    setFrozen(false);
    program.kill();
    for (; program.pids().length > 0; await clock.sleep(KILL_POLL_MS)) {
      program.kill();
      if (clock.monotonicMs() > deadline) {
        logger.warn({ pids: program.pids() }, 'processes that can not be ended were left behind');
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
    // A program may end itself because one of its processes was ended: that, too, was the memory limit.
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
    throw new NotExecutedError(output.errorText() || 'the system refused to execute it');
  })();
  // Its caller may only care for the end.
  executed.catch(() => {});

  return {
    executed,
    ended,
    terminate() {
      setFrozen(false);
      program.signal('SIGTERM');
      // One that was stopped by somebody else takes it only when it goes on.
      program.signal('SIGCONT');
    },
    kill,
    killForMemory() {
      wasKilledForMemory = true;
      kill();
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

/** Of the processes that live: time of those that ended meanwhile is not in it. */
function sumCpuMs(pids: readonly number[]): number {
  const ticks = pids.reduce((sum, pid) => sum + (readProcess(pid)?.cpuTicks ?? 0), 0);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}
