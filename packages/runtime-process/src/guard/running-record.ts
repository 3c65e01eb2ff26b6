import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { ProgramTrace } from '../process-table/find-members.ts';

/**
 * One small file for each program that runs without a sandbox: what to find its processes by when the server is no more.
 * Not synced to disk: what a power cut takes, it takes together with the processes.
 */
export interface RunningRecords {
  /** Before the program is spawned, and again when its leader is known. */
  write(name: string, trace: ProgramTrace): void;
  remove(name: string): void;
  /** Those that an earlier server left. A file that can't be read is left out. */
  read(): { readonly name: string; readonly trace: ProgramTrace }[];
}

const Trace = z.object({
  leader: z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() }).optional(),
  folder: z.string().startsWith('/'),
  uid: z.int().positive().optional(),
});

/** @param folder Is made when it is missing; holds nothing else. */
export function openRunningRecords(folder: string): RunningRecords {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (name: string): string => join(folder, `${name}.json`);
  return {
    write(name, { leader, folder: privateFolder, uid }) {
      const record = {
        leader: leader && { pid: leader.pid, startTicks: leader.startTicks },
        folder: privateFolder,
        uid,
      };
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

function readTrace(path: string): ProgramTrace | undefined {
  try {
    return Trace.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
