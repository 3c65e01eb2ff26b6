/** A group of test files that is run by one vitest process. */
export interface Lane {
  readonly name: string;
  readonly include: readonly string[];
  /** Files that may run at once: those that start whole servers share two cores badly. */
  readonly maxWorkers: number;
  readonly testTimeoutMs: number;
}

/** Every test file of the repo lies in exactly one of these. */
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
  { name: 'faults', include: ['tests/faults/**/*.test.ts'], maxWorkers: 2, testTimeoutMs: 180_000 },
  // Reads the sources of all the others, so it comes last.
  { name: 'conformance', include: ['tests/conformance/**/*.test.ts'], maxWorkers: 1, testTimeoutMs: 60_000 },
];
