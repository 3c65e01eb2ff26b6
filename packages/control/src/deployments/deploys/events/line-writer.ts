/** Writes lines in batches: the first at once, then all lines that arrived during the previous write. */
export interface LineWriter<Line> {
  /** A returned promise is back-pressure: wait for it before adding more. */
  add(line: Line): void | Promise<void>;
  /**
   * Resolves when everything added so far is written.
   * @throws what the write threw; later lines are dropped.
   */
  flush(): Promise<void>;
}

/** Pending lines above which {@link LineWriter.add} applies back-pressure. */
const MAX_PENDING_LINES = 512;

export function createLineWriter<Line>(write: (lines: readonly Line[]) => Promise<void>): LineWriter<Line> {
  let pending: Line[] = [];
  let pump: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const run = async () => {
    try {
      while (pending.length > 0) {
        const lines = pending;
        pending = [];
        await write(lines);
      }
    } catch (error) {
      failure = { error };
      pending = [];
    } finally {
      pump = undefined;
    }
  };

  return {
    add(line) {
      if (failure) return;
      pending.push(line);
      pump ??= run();
      if (pending.length >= MAX_PENDING_LINES) return pump;
    },
    async flush() {
      await pump;
      if (failure) throw failure.error;
    },
  };
}
