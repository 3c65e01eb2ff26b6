/** Returns what the page tells a person of a failure: the error's message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
