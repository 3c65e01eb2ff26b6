/** Counts of requests in the newest steps of time; older steps are dropped. */
export type StepCounts = ReturnType<typeof createStepCounts>;

export function createStepCounts(size: number) {
  const requests = new Uint32Array(size);
  const errors = new Uint32Array(size);
  let newest = Number.NEGATIVE_INFINITY;

  /** Zeroes the slots of skipped steps, which still hold older counts. */
  const moveTo = (step: number): void => {
    if (step - newest >= size) {
      requests.fill(0);
      errors.fill(0);
    } else {
      for (let each = newest + 1; each <= step; each++) {
        requests[each % size] = 0;
        errors[each % size] = 0;
      }
    }
    newest = step;
  };

  const readFrom = (counts: Uint32Array, lastStep: number): number[] =>
    Array.from({ length: size }, (_none, index) => {
      const step = lastStep - size + 1 + index;
      return step > newest || step <= newest - size ? 0 : (counts[step % size] ?? 0);
    });

  return {
    /** `step` is counted from 1970; a step that is too old is ignored. */
    add(step: number, moreRequests: number, moreErrors: number): void {
      if (step > newest) moveTo(step);
      else if (step <= newest - size) return;
      const place = step % size;
      requests[place] = (requests[place] ?? 0) + moreRequests;
      errors[place] = (errors[place] ?? 0) + moreErrors;
    },
    /** As many numbers as there are steps, `lastStep` the last of them. */
    read: (lastStep: number): { readonly requests: number[]; readonly errors: number[] } => ({
      requests: readFrom(requests, lastStep),
      errors: readFrom(errors, lastStep),
    }),
    /** The newest step with a count. */
    get newestStep() {
      return newest;
    },
  };
}
