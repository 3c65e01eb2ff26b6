import { unauthenticated } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { type Clock, describeError, type Logger } from '@berth/kit';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';

interface KeySetOptions {
  /** Fetches the key set from the provider. Must have a timeout. */
  load(): Promise<JSONWebKeySet>;
  /** Keys that are trusted until a refresh succeeds, for networks that can't reach the provider. */
  readonly initial?: JSONWebKeySet | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The age at which keys are refreshed; bounds how long a revoked key is accepted. */
const MAX_AGE_MS = 5 * 60_000;
/** The age up to which keys are accepted while the provider can't be reached. */
const MAX_STALE_MS = 60 * 60_000;
/** The minimum interval of requests to the provider: tokens with made-up key ids must not flood it. */
const COOLDOWN_MS = 10_000;

/** The keys that verify tokens, refreshed when the provider rotates them. */
export type KeySet = ReturnType<typeof createKeySet>;

/**
 * Creates a key set. Invariants: 1. at most one request to the provider runs at a time, and at most one starts every 10 s;
 * 2. keys older than 5 minutes are used only while the provider can't be reached, and for an hour at most unless they are
 * `initial` ones; 3. a token with an unknown key is refused only after a refresh in progress has ended.
 */
export function createKeySet({ load, initial, clock, logger }: KeySetOptions) {
  let keys = initial && createLocalJWKSet(initial);
  let loadedAtMs = clock.monotonicMs();
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  /** Why the latest request failed; undefined after one that succeeded. */
  let failure: unknown;
  /** Whether the log says that the provider can't be reached. */
  let isReported = false;

  const loadKeys = async (): Promise<void> => {
    triedAtMs = clock.monotonicMs();
    try {
      keys = createLocalJWKSet(await load());
      loadedAtMs = clock.monotonicMs();
      failure = undefined;
      isReported = false;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const refresh = () => {
    refreshing ??= loadKeys().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  /**
   * Replaces the initial keys where the provider can be reached. Where it never can, as from a deployment on a platform at `localhost`,
   * the log says so once, and the provider is asked at the pace of other refreshes.
   */
  const replaceInitial = async (): Promise<void> => {
    if (clock.monotonicMs() - triedAtMs < MAX_AGE_MS) return;
    try {
      await refresh();
    } catch (error) {
      const message = "the identity provider can't be reached: the keys from the start stay in use";
      if (!isReported) logger.warn({ error: describeError(error) }, message);
      isReported = true;
    }
  };
  const mayTry = () => clock.monotonicMs() - triedAtMs >= COOLDOWN_MS;
  const isTooOld = (ageMs: number) => initial === undefined && ageMs > MAX_STALE_MS;
  const ensureFresh = async (): Promise<void> => {
    const ageMs = keys ? clock.monotonicMs() - loadedAtMs : Number.POSITIVE_INFINITY;
    if (ageMs < MAX_AGE_MS || (keys && !mayTry() && !isTooOld(ageMs))) return;
    if (initial) return void replaceInitial();
    try {
      await refresh();
    } catch (error) {
      logger.warn({ error: describeError(error) }, "the identity provider's keys can't be loaded");
      if (isTooOld(ageMs)) throw unreachable(error);
    }
  };
  const look = async (header: JWSHeaderParameters): Promise<CryptoKey | undefined> => {
    try {
      return await keys?.(header);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  };
  return {
    /**
     * Returns the key for a token's header.
     * @throws `unauthenticated` when the provider has no such key; `unavailable` when the provider can't be reached
     */
    async find(header: JWSHeaderParameters): Promise<CryptoKey> {
      await ensureFresh();
      let found = await look(header);
      // A refresh in progress may bring the key. It may also have started before the key existed, so a second refresh
      // follows when the cooldown allows.
      for (let round = 0; round < 2 && !found && (refreshing || mayTry()); round++) {
        await refresh().catch(() => {}); // Kept in `failure`.
        found = await look(header);
      }
      if (found) return found;
      if (failure !== undefined) throw unreachable(failure);
      throw unauthenticated('The token is signed with a key that the identity provider does not have.');
    },
  };
}

function unreachable(cause: unknown) {
  return createError('unavailable', "The agent can't get the keys of the identity provider. Try again.", { cause });
}
