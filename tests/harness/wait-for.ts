export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks `condition` again and again until it answers something truthy, and answers that.
 * @throws Error that names `what` after `timeoutMs` (20 s).
 */
export async function waitFor<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  { timeoutMs = 20_000, everyMs = 25 }: WaitOptions = {},
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
