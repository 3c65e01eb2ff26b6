import type { Clock } from '@berth/kit';
import { readCgroupPids } from '../cgroup/cgroup-files.ts';
import { findMembers } from '../process-table/find-members.ts';
import { findProcessesOfUsers } from '../process-table/find-processes-of-users.ts';
import { type ProcessInfo, readProcesses } from '../process-table/read-processes.ts';
import { trySignal } from '../process-table/try-signal.ts';
import type { RunningRecords, RunningTrace } from './running-record.ts';

const GIVE_UP_MS = 10_000;
const POLL_MS = 20;

export interface Leftovers {
  readonly records: RunningRecords;
  /** Users that only services of this server run as: whatever runs as one of them is a leftover. */
  readonly userIds: ReadonlySet<number>;
  /** False as soon as somebody else sees to it. Asked before each round. */
  readonly isMine: () => boolean;
}

/**
 * Ends what a server that died has left, and takes its records away. Called by the guardian in the moment the server
 * dies, and by the next server before it starts anything. Resolves with the number of processes that were ended.
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
