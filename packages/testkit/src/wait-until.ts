/** Polling interval. */
const INTERVAL_MS = 5;

/**
 * Waits until `condition` holds, for changes that have no event.
 * @throws Error naming `what` after `timeoutMs`.
 */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
