/** Classes of status codes; the index is the first digit less one. */
export const CODE_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Label of all deployments without series of their own, and of a deployment with this name. */
export const OTHER = 'other';

/** Finished requests of one deployment by status class, in the order of {@link CODE_CLASSES}. */
export interface DeploymentTally {
  readonly deployment: string;
  readonly requests: number[];
}

/**
 * Creates request counts by deployment, for a bounded number of deployments. Counting a request costs one map lookup; labels and text are
 * made when the metrics are scraped.
 */
export function createDeploymentTallies(maxDeployments: number) {
  const tracked = new Map<string, DeploymentTally>();
  const other = newTally(OTHER);
  let isOtherUsed = false;

  return {
    /** Returns a deployment's tally; that of {@link OTHER} when the maximum is reached. */
    of(deployment: string): DeploymentTally {
      const known = tracked.get(deployment);
      if (known !== undefined) return known;
      if (deployment === OTHER || tracked.size >= maxDeployments) {
        isOtherUsed = true;
        return other;
      }
      const tally = newTally(deployment);
      tracked.set(deployment, tally);
      return tally;
    },
    /** Returns the label of a deployment's series. */
    labelOf: (deployment: string): string => (tracked.has(deployment) ? deployment : OTHER),
    /** Removes the tallies of deployments for which `exists` is false. */
    prune(exists: (deployment: string) => boolean): void {
      for (const deployment of tracked.keys()) if (!exists(deployment)) tracked.delete(deployment);
    },
    /** Returns all tallies, that of {@link OTHER} last. */
    list: (): readonly DeploymentTally[] => (isOtherUsed ? [...tracked.values(), other] : [...tracked.values()]),
  };
}

function newTally(deployment: string): DeploymentTally {
  return { deployment, requests: CODE_CLASSES.map(() => 0) };
}
