/**
 * Runs synchronous `work` under another umask(2) and returns its result. A program inherits the umask of the process that spawns it, and
 * `spawn` has no option for it.
 */
export function withFileMask<Value>(mask: number, work: () => Value): Value {
  const before = process.umask(mask);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
