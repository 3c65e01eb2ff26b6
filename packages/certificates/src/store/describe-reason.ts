/** An error's message on one line, without the stack: for sentences that people read. */
export function describeReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
