/** Sends a signal to a process, or to the process group `-pid`. Does nothing when it has ended. */
export function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}
