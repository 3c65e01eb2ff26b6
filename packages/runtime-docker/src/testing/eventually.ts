import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `probe` answers something truthy, ten seconds at most unless told. */
export async function eventually(
  what: string,
  probe: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await probe()); await sleep(20)) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
  }
}
