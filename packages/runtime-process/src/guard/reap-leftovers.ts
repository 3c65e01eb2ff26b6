import type { Clock } from '@berth/kit';
import { type ProcessInfo, readProcesses } from '@berth/runtime/drivers';
import { readCgroupPids } from '../cgroup/cgroup-files.ts';
import { findMembers, findProcessesOfUsers, trySignal } from '../process-table/find-members.ts';
import type { RunningRecords, RunningTrace } from './running-record.ts';

const GIVE_UP_MS = 10_000;
const POLL_MS = 20;

/** The traces of programs that a dead server left running. */
export interface Leftovers {
  readonly records: RunningRecords;
  /** Users that only this server's services run as, so that every process of theirs is a leftover. */
  readonly userIds: ReadonlySet<number>;
  /** Returns false as soon as a newer server has taken over. Called before each round. */
  readonly isMine: () => boolean;
}

/**
 * Ends the programs that a dead server left running, deletes its records, and returns the number of ended processes. Called by the
 * guardian when the server dies, and by the next server before it starts anything. Gives up after ten seconds.
 */
export async function reapLeftovers({ records, userIds, isMine }: Leftovers, clock: Clock): Promise<number> {
  const left = records.read();
  const ended = new Set<number>();
  const deadline = clock.monotonicMs() + GIVE_UP_MS;
  while (clock.monotonicMs() < deadline) {
    if (!isMine()) return ended.size;
    const processes = readProcesses();
    const members = new Set(left.flatMap(({ trace }) => findLeftovers(trace, processes)));
    for (const { pid } of findProcessesOfUsers(userIds, processes)) members.add(pid);
    if (members.size === 0) break;
    for (const pid of members) {
      trySignal(pid, 'SIGKILL');
      ended.add(pid);
    }
    await clock.sleep(POLL_MS);
  }
  for (const { name } of left) records.remove(name);
  return ended.size;
}

function findLeftovers(trace: RunningTrace, processes: readonly ProcessInfo[]): number[] {
  return [...findMembers(trace, processes).map((info) => info.pid), ...trace.cgroupFolders.flatMap(readCgroupPids)];
}
