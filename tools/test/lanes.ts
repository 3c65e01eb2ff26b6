/** A group of test files that is run by one vitest process. */
export interface Lane {
  readonly name: string;
  readonly include: readonly string[];
  /** Files that may run at once: those that start whole servers share two cores badly. */
  readonly maxWorkers: number;
  readonly testTimeoutMs: number;
  /** Variables that its tests find set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Why it can't run on this machine; undefined when it can. */
  lacks?(): string | undefined;
}

/** Every test file of the repo lies in one of these; those of `acceptance` are run once for each runtime, and some over several processes. */
export const LANES: readonly Lane[] = [
  {
    name: 'unit',
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
    maxWorkers: 2,
    testTimeoutMs: 60_000,
  },
  {
    name: 'acceptance',
    include: ['tests/acceptance/**/*.test.ts'],
    maxWorkers: 2,
    testTimeoutMs: 120_000,
  },
  {
    name: 'acceptance-docker',
    include: ['tests/acceptance/**/*.test.ts'],
    maxWorkers: 2,
    testTimeoutMs: 120_000,
    env: { BERTH_RUNTIME: 'docker' },
    lacks: () =>
      process.env['BERTH_TEST_ENGINE'] ? undefined : 'needs a Docker engine of its own (docs/guides/docker.md, Tests)',
  },
  {
    // What may depend on how the platform is spread over processes; the rest can't tell.
    name: 'acceptance-workers',
    include: [
      'authentication',
      'capacity',
      'deploy-stream',
      'gateway',
      'logs',
      'misbehaving-apps',
      'protocols',
      'upload',
      'zero-downtime',
    ].map((name) => `tests/acceptance/${name}.test.ts`),
    maxWorkers: 2,
    testTimeoutMs: 120_000,
    env: { BERTH_GATEWAY_WORKERS: '2' },
  },
  { name: 'faults', include: ['tests/faults/**/*.test.ts'], maxWorkers: 2, testTimeoutMs: 180_000 },
  // Reads the sources of all the others, so it comes last.
  { name: 'conformance', include: ['tests/conformance/**/*.test.ts'], maxWorkers: 1, testTimeoutMs: 60_000 },
];
