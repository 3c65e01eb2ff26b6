import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `probe` answers something truthy, ten seconds at most. */
export async function eventually<Value>(
  what: string,
  probe: () => Value | Promise<Value>,
  timeoutMs = 10_000,
): Promise<NonNullable<Value>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await sleep(10);
  }
}
