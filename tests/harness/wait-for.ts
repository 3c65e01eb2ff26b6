export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

type Falsy = false | null | undefined | 0 | '';

/**
 * Asks `condition` again and again until it answers something truthy, and answers that.
 * @throws Error that names `what` after `timeoutMs` (40 s: the machine may do much else).
 */
export async function waitFor<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  { timeoutMs = 40_000, everyMs = 25 }: WaitOptions = {},
): Promise<Exclude<Value, Falsy>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<Value, Falsy>;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
