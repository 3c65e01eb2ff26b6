import { setTimeout as sleep } from 'node:timers/promises';

/** Asks `probe` again and again until it answers something truthy, ten seconds at most. An error of it counts as no. */
export async function eventually<Value>(
  what: string,
  probe: () => Value | Promise<Value>,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + 10_000;
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
