import type { TestContext } from 'vitest';

/** What the services of these tests run as: `BERTH_RUNTIME` of whoever runs them. */
export const RUNTIME: 'process' | 'docker' = process.env['BERTH_RUNTIME'] === 'docker' ? 'docker' : 'process';

/** Where the engine for tests is; never the machine's own, which is someone's. */
export const TEST_ENGINE: string | undefined = process.env['BERTH_TEST_ENGINE'];

/** Made by tools/base-images. */
const BASE_IMAGES = 'node=berth-base/node,python=berth-base/python,go=berth-base/go,plain=berth-base/debian';

/** Skips the test unless services run as processes; `why` says what containers do instead. */
export function needsProcesses(context: TestContext, why: string): void {
  if (RUNTIME !== 'process') context.skip(`by design: ${why}`);
}

/** Settings of a server for that runtime: it is never left to the server to choose. */
export function runtimeSettings(): Record<string, string> {
  return RUNTIME === 'process' ? { BERTH_RUNTIME: 'process' } : dockerSettings();
}

/** Settings of a server that runs containers, whatever the other tests run. */
export function dockerSettings(): Record<string, string> {
  if (TEST_ENGINE === undefined) {
    throw new Error('tests on containers need an engine of their own: eval "$(node tools/test-engine/main.ts start)"');
  }
  return { BERTH_RUNTIME: 'docker', DOCKER_HOST: TEST_ENGINE, BERTH_BASE_IMAGES: BASE_IMAGES };
}
