/** Exit codes of the process that draws slides when its output is a sentence for people. */
export const REFUSED = {
  /** It is the document. */
  lasting: 3,
  forNow: 4,
} as const;
