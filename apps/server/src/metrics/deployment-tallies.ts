/** Classes of status codes, by the first digit less one. */
export const CODE_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Stands for every deployment that has no series of its own, and for one that has this name. */
export const OTHER = 'other';

/** Ended requests of one deployment, by class of their status, in the order of {@link CODE_CLASSES}. */
export interface DeploymentTally {
  readonly deployment: string;
  readonly requests: number[];
}

/**
 * Counts by deployment, for a bounded number of deployments. Plain numbers: a request costs one look into a map, and what a
 * scrape needs is made when it is scraped.
 */
export interface DeploymentTallies {
  /** The tally to count on. A deployment gets its own as long as there is room, else that of {@link OTHER}. */
  of(deployment: string): DeploymentTally;
  /** The name under which a deployment's series go. */
  labelOf(deployment: string): string;
  /** Forgets every deployment that `exists` denies, and what was counted for it. */
  prune(exists: (deployment: string) => boolean): void;
  /** All that were counted on so far, that of {@link OTHER} last. */
  list(): readonly DeploymentTally[];
}

export function createDeploymentTallies(maxDeployments: number): DeploymentTallies {
  const tracked = new Map<string, DeploymentTally>();
  const other = newTally(OTHER);
  let isOtherUsed = false;

  return {
    of(deployment) {
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
    labelOf: (deployment) => (tracked.has(deployment) ? deployment : OTHER),
    prune(exists) {
      for (const deployment of tracked.keys()) if (!exists(deployment)) tracked.delete(deployment);
    },
    list: () => (isOtherUsed ? [...tracked.values(), other] : [...tracked.values()]),
  };
}

function newTally(deployment: string): DeploymentTally {
  return { deployment, requests: CODE_CLASSES.map(() => 0) };
}
