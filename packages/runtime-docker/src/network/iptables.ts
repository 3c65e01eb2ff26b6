import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Where systems keep it, whatever PATH says. */
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/run/current-system/sw/bin'];
const TIMEOUT_MS = 10_000;

/** The kernel's packet filter of this machine. */
export interface Iptables {
  /** Runs it; resolves to whether it succeeded, and what it printed. Never rejects. */
  run(args: readonly string[]): Promise<{ readonly isOk: boolean; readonly output: string }>;
}

/** Undefined where the program is not installed. */
export function findIptables(): Iptables | undefined {
  const program = FOLDERS.map((folder) => path.join(folder, 'iptables')).find(isExecutable);
  if (program === undefined) return undefined;
  return {
    run: (args) =>
      new Promise((resolve) => {
        // -w: waits for others that change rules at the same time, the engine first of all.
        execFile(program, ['-w', '5', ...args], { timeout: TIMEOUT_MS, env: {} }, (error, stdout, stderr) =>
          resolve({ isOk: error === null, output: `${stdout}${stderr}`.trim() }),
        );
      }),
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
