import { defineConfig } from 'vitest/config';

/** Variables that say how a run of the tests is to be; the harness hands them on where they matter. */
const OF_TEST_RUNS = /^BERTH_(TEST_\w+|RUNTIME|GATEWAY_WORKERS|BOMB_MIB|TENANCY_ROUNDS)$/;

// Whoever runs the tests may have a platform and a key in the environment. Workers inherit what is left here.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('BERTH_') && !OF_TEST_RUNS.test(name)) delete process.env[name];
}

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'tools/**/*.test.ts',
      'bench/**/*.test.ts',
      'tests/**/*.test.ts',
    ],
    // Of test files that begin with `// @vitest-environment happy-dom`. Following a link would replace the document.
    environmentOptions: {
      happyDOM: {
        ...{ url: 'http://berth.test/', width: 1_280, height: 800 },
        settings: {
          navigation: {
            ...{ disableMainFrameNavigation: true, disableChildPageNavigation: true, disableFallbackToSetURL: true },
          },
        },
      },
    },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes when the machine has time for it.
    expect: { poll: { timeout: 20_000 } },
  },
});
