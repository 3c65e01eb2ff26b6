/** What an example that has no faithful translation is refused with: a part of the error. */
export interface Refused {
  readonly refused: string;
}

export function refused(words: string): Refused {
  return { refused: words };
}

/** What an example answers that is neither as the page says nor refused. There are few of them, each with the reason. */
export interface Differs {
  readonly differs: unknown;
  readonly because: string;
}

export function differs(answer: unknown, because: string): Differs {
  return { differs: answer, because };
}

/**
 * Examples of one page of the warehouse's documentation: what the page calls, and the answer that it shows; in the form of our answers, as
 * in ../differential.ts. A page that shows several columns or rows has a row here for each of them.
 */
export type Documented = readonly (readonly [
  page: string,
  rows: readonly (readonly [sql: string, answer: unknown])[],
])[];
