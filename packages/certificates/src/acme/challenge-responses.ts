/** The path prefix at which ACME servers request challenge responses. Source: RFC 8555 8.3. */
export const ACME_CHALLENGE_PREFIX = '/.well-known/acme-challenge/';

/** The challenge responses that the plain HTTP listener serves while orders run. */
export interface ChallengeResponses {
  /** Returns the response body for a GET of `pathname` on any host; undefined if no order offers one. */
  find(pathname: string): string | undefined;
  /** Serves `text` for `token` until the returned function is called. */
  offer(token: string, text: string): () => void;
}

/** Creates an empty set of challenge responses. */
export function createChallengeResponses(): ChallengeResponses {
  const texts = new Map<string, string>();
  return {
    find(pathname) {
      if (texts.size === 0 || !pathname.startsWith(ACME_CHALLENGE_PREFIX)) return undefined;
      return texts.get(pathname.slice(ACME_CHALLENGE_PREFIX.length));
    },
    offer(token, text) {
      texts.set(token, text);
      return () => void texts.delete(token);
    },
  };
}
