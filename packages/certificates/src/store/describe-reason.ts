/** Returns an error's message on one line, without the stack, for use in sentences. */
export function describeReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
