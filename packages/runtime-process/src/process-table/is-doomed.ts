import { readFileSync } from 'node:fs';
import { type ProcessInfo, readProcess } from './read-processes.ts';

/** SIGKILL (9) in the hexadecimal masks of `/proc/PID/status`. */
const SIGKILL_MASK = 1n << 8n;

/**
 * Returns whether a process has ended since it was read, or will end as soon as it runs: in a v1 freezer SIGKILL stays pending until the
 * process is thawed. Source: proc_pid_status(5), SigPnd and ShdPnd.
 */
export function isDoomed({ pid, startTicks }: ProcessInfo): boolean {
  const now = readProcess(pid);
  if (now === undefined || now.startTicks !== startTicks || now.state === 'Z') return true;
  try {
    const masks = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^(?:SigPnd|ShdPnd):\s*([0-9a-f]+)$/gm);
    return [...masks].some(([, mask]) => (BigInt(`0x${mask}`) & SIGKILL_MASK) !== 0n);
  } catch {
    return true;
  }
}
