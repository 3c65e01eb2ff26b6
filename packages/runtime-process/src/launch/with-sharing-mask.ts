/** Group members may write: what one service makes on a volume, another one of its account may change. */
const SHARING_MASK = 0o002;

/**
 * Does synchronous `work` under a file mode mask of its own: a program starts with the mask of the process that spawns
 * it, and `spawn` can't be told another one.
 */
export function withSharingMask<Value>(work: () => Value): Value {
  const before = process.umask(SHARING_MASK);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
