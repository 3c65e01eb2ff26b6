/** Sends a signal to a process, and does nothing when the process has ended. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ended.
  }
}
