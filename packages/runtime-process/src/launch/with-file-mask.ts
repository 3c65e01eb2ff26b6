/**
 * Does synchronous `work` under another file mode mask (umask(2)): a program starts with that of the process that spawns
 * it, and `spawn` can't be told another one.
 */
export function withFileMask<Value>(mask: number, work: () => Value): Value {
  const before = process.umask(mask);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
