import type { RevisionPool } from './revision-pool.ts';

/** A deployment in the gateway: the revision that has the route, and everything else of it that still runs. */
export interface Service {
  readonly deployment: string;
  /** Where requests go; null before the first revision is there, and after removal. The route is this one field. */
  current: RevisionPool | null;
  /** Every pool that may have instances: the current one, those being brought up, those being drained. */
  readonly pools: Set<RevisionPool>;
  /** The activations under way; aborting one ends it. */
  readonly activations: Set<AbortController>;
  /** The release commands under way; each settles when nothing of it runs any more. */
  readonly releases: Set<Promise<void>>;
}
