import type { ExploreAgent } from '@berth/contract/agent';
import { type Clock, describeError, type Logger } from '@berth/kit';
import type { SiteOptions } from './site-options.ts';

/** The lifetime of a list, as long as HTTP caches keep the response. Source: docs/contract/agent-api.md §3. */
const MAX_AGE_MS = 300_000;
/** The longest that a request waits for a new list. */
const TIMEOUT_MS = 3_000;

/**
 * Returns a function that lists other agents. It never rejects: after an error it returns the previous list, initially
 * empty.
 */
export function createExplore(
  source: SiteOptions['explore'],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): () => Promise<readonly ExploreAgent[]> {
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
      logger.warn({ error: describeError(error) }, 'explore returned no list of agents');
    }
  };
  /** A list that arrives after the timeout is used for later requests. */
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

/** Returns the agent with the contract's fields only; none when a field is invalid or the link isn't http or https. */
function toAgent(agent: ExploreAgent): ExploreAgent[] {
  const { slug, title, description = '', icon_svg: icon, link } = agent ?? {};
  if (typeof slug !== 'string' || typeof title !== 'string' || typeof link !== 'string') return [];
  if (!/^https?:\/\//i.test(link) || !URL.canParse(link)) return [];
  return [
    { slug, title, description: String(description), ...(typeof icon === 'string' ? { icon_svg: icon } : {}), link },
  ];
}
