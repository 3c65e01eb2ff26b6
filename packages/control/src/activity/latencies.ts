/** Latencies of the requests of the last hour, as a histogram. */
export type Latencies = ReturnType<typeof createLatencies>;

/** Each bin is wider than the one before by this factor, which bounds the error of a percentile to 12 %. */
const GROWTH = 1.25;
/** The last bin begins at 1.25^63 ms, 21 minutes; a request may take no longer than an hour. */
const BINS = 64;
const SLICE_MS = 600_000;
/** An hour, and the slice that is in progress: 1.8 kB a deployment. */
const SLICES = 7;

export function createLatencies() {
  const counts = new Uint32Array(SLICES * BINS);
  let newest = Number.NEGATIVE_INFINITY;

  /** Zeroes the slices that `slice` and the skipped ones before it reuse. */
  const moveTo = (slice: number): void => {
    for (let each = Math.max(newest + 1, slice - SLICES + 1); each <= slice; each++) {
      const start = (each % SLICES) * BINS;
      counts.fill(0, start, start + BINS);
    }
    newest = Math.max(newest, slice);
  };

  return {
    add(nowMs: number, latencyMs: number): void {
      const slice = Math.floor(nowMs / SLICE_MS);
      moveTo(slice);
      if (slice <= newest - SLICES) return;
      const bin = latencyMs <= 1 ? 0 : Math.min(BINS - 1, Math.ceil(Math.log(latencyMs) / Math.log(GROWTH)));
      const at = (slice % SLICES) * BINS + bin;
      counts[at] = (counts[at] ?? 0) + 1;
    },
    /** Returns the latency that 95 % of the requests stayed below, in milliseconds; null without a request. */
    p95(nowMs: number): number | null {
      moveTo(Math.floor(nowMs / SLICE_MS));
      const sums = Array.from({ length: BINS }, (_none, bin) => {
        let sum = 0;
        for (let slice = 0; slice < SLICES; slice++) sum += counts[slice * BINS + bin] ?? 0;
        return sum;
      });
      const total = sums.reduce((sum, count) => sum + count, 0);
      if (total === 0) return null;
      let bin = 0;
      for (let seen = sums[0] ?? 0; seen < total * 0.95; seen += sums[bin] ?? 0) bin++;
      // The middle of the bin, by its logarithm.
      return Math.round(bin === 0 ? 1 : GROWTH ** (bin - 0.5));
    },
  };
}
