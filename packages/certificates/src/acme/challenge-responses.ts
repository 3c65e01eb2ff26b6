/** The path prefix at which ACME servers request challenge responses. Source: RFC 8555 8.3. */
export const ACME_CHALLENGE_PREFIX = '/.well-known/acme-challenge/';

/** Storage for the responses to challenges, by token, while orders run. */
export interface ChallengeAnswers {
  find(token: string): Promise<string | undefined>;
  /** Offers `text` for `token` when this resolves, until the returned function is called. */
  offer(token: string, text: string): Promise<() => Promise<void>>;
}

/** The challenge responses that the plain HTTP listener serves while orders run. */
export interface ChallengeResponses extends Pick<ChallengeAnswers, 'offer'> {
  /** Returns the response body for a GET of `pathname` on any host; undefined if no order offers one. */
  find(pathname: string): Promise<string | undefined>;
}

/** Creates the challenge responses of `answers`; of this process's memory by default. */
export function createChallengeResponses(answers: ChallengeAnswers = createAnswers()): ChallengeResponses {
  return {
    async find(pathname) {
      if (!pathname.startsWith(ACME_CHALLENGE_PREFIX)) return undefined;
      return answers.find(pathname.slice(ACME_CHALLENGE_PREFIX.length));
    },
    offer: (token, text) => answers.offer(token, text),
  };
}

function createAnswers(): ChallengeAnswers {
  const texts = new Map<string, string>();
  return {
    find: async (token) => texts.get(token),
    async offer(token, text) {
      texts.set(token, text);
      return async () => void texts.delete(token);
    },
  };
}
