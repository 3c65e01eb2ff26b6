/** Where an ACME server looks for a response. Source: RFC 8555 8.3. */
export const ACME_CHALLENGE_PREFIX = '/.well-known/acme-challenge/';

/** The responses that the plain HTTP listener gives while orders run. */
export interface ChallengeResponses {
  /** The text to answer a GET of `pathname` with, whatever its host; undefined when no order waits for it. */
  find(pathname: string): string | undefined;
  /** Answers `token` with `text` until the function it returns is called. */
  offer(token: string, text: string): () => void;
}

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
