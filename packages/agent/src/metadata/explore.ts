import type { ExploreAgent } from '@berth/contract/agent';
import { type Clock, createSingleFlight, describeError, type Logger } from '@berth/kit';
import type { SiteOptions } from './site-options.ts';

export interface ExploreDeps {
  readonly source: SiteOptions['explore'];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** As long as caches keep the answer. Source: spec agent-api 3. */
const MAX_AGE_MS = 300_000;
/** Whoever asks waits no longer. */
const TIMEOUT_MS = 3_000;

/** Gives the list of other agents, which is never an error: the last good one, or none. */
export function createExplore({ source, clock, logger }: ExploreDeps): () => Promise<readonly ExploreAgent[]> {
  if (typeof source !== 'function') {
    const agents = (source ?? []).flatMap(toAgent);
    return async () => agents;
  }
  const flight = createSingleFlight<void>();
  let known: readonly ExploreAgent[] = [];
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const refresh = async () => {
    askedAtMs = clock.monotonicMs();
    try {
      known = (await source()).flatMap(toAgent);
    } catch (error) {
      logger.warn({ error: describeError(error) }, 'explore gave no list of agents');
    }
  };
  return async () => {
    if (clock.monotonicMs() - askedAtMs >= MAX_AGE_MS) {
      const given = new AbortController();
      await Promise.race([flight.run('explore', refresh), clock.sleep(TIMEOUT_MS, given.signal).catch(() => {})]);
      given.abort();
    }
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
