/** Counts entries that could not be kept, until the log itself can say so. */
export interface LossLedger {
  readonly count: number;
  /** `reason` is a phrase that ends "…: <reason>"; the latest one is told. */
  add(count: number, reason: string): void;
  /** The sentence for the log; undefined when nothing was lost. */
  describe(): string | undefined;
  /** To be called when the log says that `count` were lost; more may have been added meanwhile. */
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
      count === 0 ? undefined : `${count} log ${count === 1 ? 'entry was' : 'entries were'} lost here: ${latestReason}`,
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
  EACCES: 'the log folder may not be written',
  EPERM: 'the log folder may not be written',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Why a write failed, without paths of the machine: the owner of the deployment reads it. */
export function diskFailureReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === undefined) return 'the log could not be written';
  return `${DISK_ERRORS[code] ?? 'the log could not be written'} (${code})`;
}
