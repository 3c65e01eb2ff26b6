import type { RevisionPool } from './revision-pool.ts';

/** One deployment: the revision that has the route, and whatever else of it still runs. */
export interface Service {
  readonly deployment: string;
  /** Where requests go; null before the first revision is there, and after removal. The route is this one field. */
  current: RevisionPool | null;
  /** Every pool that may have instances: the current one, those being brought up, those being drained. */
  readonly pools: Set<RevisionPool>;
  /** Ends the activations that are under way. */
  readonly activations: Set<AbortController>;
  /** Release commands that run; each settles when nothing of it runs any more. */
  readonly releases: Set<Promise<void>>;
}
