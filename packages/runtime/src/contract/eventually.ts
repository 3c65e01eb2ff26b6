import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `probe` repeatedly until it returns a truthy value, and resolves with that value. An error of `probe` counts as a falsy value.
 * @throws Error after `withinMs`, ten seconds by default, with the last error of `probe` as its cause.
 */
export async function eventually<Value>(
  what: string,
  probe: () => Value | Promise<Value>,
  withinMs = 10_000,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + withinMs;
  for (let lastError: unknown; ; await sleep(10)) {
    try {
      const value = await probe();
      if (value) return value;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`, { cause: lastError });
  }
}
