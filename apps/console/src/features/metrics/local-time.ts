/** Returns the value of a `datetime-local` input in the browser's time zone. */
export function toLocalInput(atMs: number): string {
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns epoch milliseconds; undefined if the text is not a valid time. */
export function fromLocalInput(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}
