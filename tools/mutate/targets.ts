/** A part of the code that mutation tests are run on. */
export interface MutationTarget {
  /** Files that are mutated, as globs; tests and what is in `testing` folders never are. */
  readonly sources: readonly string[];
  /** Test files that have to notice. Keep them few and quick: each runs once for a mutant that it covers. */
  readonly tests: readonly string[];
}

const RUNS = 'packages/agent/src/runs';

/** The parts by name. A mutant that survives here needs a test, or an `// Stryker disable` comment that says why it is no fault. */
export const MUTATION_TARGETS: Readonly<Record<string, MutationTarget>> = {
  admission: {
    sources: ['packages/gateway/src/admission/**/*.ts'],
    tests: ['packages/gateway/src/admission/*.test.ts'],
  },
  /** The engine of runs: who may start, read and stop a run, and how it is settled. */
  runs: {
    sources: [`${RUNS}/{create-run-engine,create-run-reader,drive-run,settle-run}.ts`],
    tests: [`${RUNS}/{create-run-engine,follow-run,interrupted-run}.test.ts`],
  },
};
