import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { ProgramTrace } from '../process-table/find-members.ts';

/** The facts by which a program's processes are found after the server has died. */
export interface RunningTrace extends ProgramTrace {
  /** All processes in these groups belong to the program. */
  readonly cgroupFolders: readonly string[];
}

/**
 * The records of running programs, one small file each. The files aren't synced to disk, because a power failure ends the processes too.
 */
export type RunningRecords = ReturnType<typeof openRunningRecords>;

const Trace = z.object({
  leader: z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() }).optional(),
  folder: z.string().startsWith('/'),
  uid: z.int().positive().optional(),
  cgroupFolders: z.array(z.string().startsWith('/sys/')),
});

/**
 * Opens the running records.
 * @param folder Created when missing; contains nothing else.
 */
export function openRunningRecords(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  return {
    /** Writes a record: before the program is spawned, and again when its leader is known. */
    write(name: string, { leader, ...trace }: RunningTrace): void {
      const record = { ...trace, leader: leader && { pid: leader.pid, startTicks: leader.startTicks } };
      writeFileSync(pathOf(name), JSON.stringify(record), { mode: 0o600 });
    },
    /** Deletes a record. */
    remove: (name: string): void => rmSync(pathOf(name), { force: true }),
    /** Returns all records, without those that can't be read. */
    read(): { readonly name: string; readonly trace: RunningTrace }[] {
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
