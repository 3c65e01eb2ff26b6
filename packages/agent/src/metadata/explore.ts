import type { ExploreAgent } from '@berth/contract/agent';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { SiteOptions } from './site-options.ts';

export interface ExploreDeps {
  readonly source: SiteOptions['explore'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** As long as caches keep the answer. Source: docs/contract/agent-api.md §3. */
const MAX_AGE_MS = 300_000;
/** Whoever asks waits no longer. */
const TIMEOUT_MS = 3_000;

/** Gives the list of other agents, which is never an error: the last good one, or none. */
export function createExplore({ source, clock, logger }: ExploreDeps): () => Promise<readonly ExploreAgent[]> {
  if (typeof source !== 'function') {
    const agents = (source ?? []).flatMap(toAgent);
    return async () => agents;
  }
  let known: readonly ExploreAgent[] = [];
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let waiting: Promise<void> | undefined;
  const refresh = async () => {
    try {
      known = (await source()).flatMap(toAgent);
    } catch (error) {
      logger.warn({ error: describeError(error) }, 'explore gave no list of agents');
    }
  };
  /** What comes too late is there for the next one who asks. */
  const refreshInTime = async () => {
    const done = new AbortController();
    await Promise.race([refresh(), clock.sleep(TIMEOUT_MS, done.signal).catch(() => {})]);
    done.abort();
  };
  return async () => {
    if (!waiting && clock.monotonicMs() - askedAtMs >= MAX_AGE_MS) {
      askedAtMs = clock.monotonicMs();
      waiting = refreshInTime().finally(() => {
        waiting = undefined;
      });
    }
    await waiting;
    return known;
  };
}

/** Only what the contract names, and only links that a page may show. */
function toAgent(agent: ExploreAgent): ExploreAgent[] {
  const { slug, title, description = '', icon_svg: icon, link } = agent ?? {};
  if (typeof slug !== 'string' || typeof title !== 'string' || typeof link !== 'string') return [];
  if (!/^https?:\/\//i.test(link) || !URL.canParse(link)) return [];
  return [
    { slug, title, description: String(description), ...(typeof icon === 'string' ? { icon_svg: icon } : {}), link },
  ];
}
