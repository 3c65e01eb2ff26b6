/** Exit codes of the slides process when its output is a message for users. */
export const REFUSED = {
  /** The document is at fault. */
  lasting: 3,
  forNow: 4,
} as const;
