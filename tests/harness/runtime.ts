/** What the services of these tests run as: `BERTH_RUNTIME` of whoever runs them. */
export const RUNTIME: 'process' | 'docker' = process.env['BERTH_RUNTIME'] === 'docker' ? 'docker' : 'process';

/** Made by tools/base-images. */
const BASE_IMAGES = 'node=berth-base/node,python=berth-base/python,go=berth-base/go,plain=berth-base/debian';

/** Settings of a server for that. Never left to the server to choose: an engine of this machine is somebody's. */
export function runtimeSettings(): Record<string, string> {
  if (RUNTIME === 'process') return { BERTH_RUNTIME: 'process' };
  const engine = process.env['BERTH_TEST_ENGINE'];
  if (engine === undefined) {
    throw new Error('tests on containers need an engine of their own: eval "$(node tools/test-engine/main.ts start)"');
  }
  return { BERTH_RUNTIME: 'docker', DOCKER_HOST: engine, BERTH_BASE_IMAGES: BASE_IMAGES };
}
