/** A moment as an input of type `datetime-local` has it, by the clocks of this machine. */
export function toLocalInput(atMs: number): string {
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Epoch milliseconds; undefined for a text that is none. */
export function fromLocalInput(text: string): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs;
}
