/** Counts lost entries until the log itself can report them. */
export interface LossLedger {
  readonly count: number;
  /** Adds to the count. `reason` ends the sentence "…: <reason>"; only the latest one is reported. */
  add(count: number, reason: string): void;
  /** Returns the sentence for the log; undefined when nothing was lost. */
  describe(): string | undefined;
  /** Subtracts `count`, which the log has reported. More may have been added since. */
  settle(count: number): void;
}

export function createLossLedger(): LossLedger {
  let count = 0;
  let latestReason = '';
  return {
    get count() {
      return count;
    },
    add(more, reason) {
      count += more;
      latestReason = reason;
    },
    describe: () =>
      count === 0 ? undefined : `${count} log ${count === 1 ? 'entry was' : 'entries were'} lost: ${latestReason}`,
    settle(told) {
      count -= told;
    },
  };
}

const DISK_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reported an error',
  EROFS: 'the disk is read-only',
  EACCES: 'the log folder is not writable',
  EPERM: 'the log folder is not writable',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Returns why a write failed, without paths of the machine: the deployment's owner reads it. */
export function diskFailureReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === undefined) return 'the log could not be written';
  return `${DISK_ERRORS[code] ?? 'the log could not be written'} (${code})`;
}
