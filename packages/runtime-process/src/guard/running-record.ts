import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { ProgramTrace } from '../process-table/find-members.ts';

/** What to find the processes of a program by when the server is no more. */
export interface RunningTrace extends ProgramTrace {
  /** All that is in these belongs to it. */
  readonly cgroupFolders: readonly string[];
}

/**
 * One small file for each program that runs. Not synced to disk: what a power cut takes, it takes together with the
 * processes.
 */
export interface RunningRecords {
  /** Before the program is spawned, and again when its leader is known. */
  write(name: string, trace: RunningTrace): void;
  remove(name: string): void;
  /** Those that an earlier server left. A file that can't be read is left out. */
  read(): { readonly name: string; readonly trace: RunningTrace }[];
}

const Trace = z.object({
  leader: z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() }).optional(),
  folder: z.string().startsWith('/'),
  uid: z.int().positive().optional(),
  cgroupFolders: z.array(z.string().startsWith('/sys/')),
});

/** @param folder Is made when it is missing; holds nothing else. */
export function openRunningRecords(folder: string): RunningRecords {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  return {
    write(name, { leader, ...trace }) {
      const record = { ...trace, leader: leader && { pid: leader.pid, startTicks: leader.startTicks } };
      writeFileSync(pathOf(name), JSON.stringify(record), { mode: 0o600 });
    },
    remove: (name) => rmSync(pathOf(name), { force: true }),
    read() {
      const names = readdirSync(folder).filter((file) => file.endsWith('.json'));
      return names.flatMap((file) => {
        const trace = readTrace(join(folder, file));
        return trace ? [{ name: file.slice(0, -'.json'.length), trace }] : [];
      });
    },
  };
}

function readTrace(path: string): RunningTrace | undefined {
  try {
    return Trace.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
