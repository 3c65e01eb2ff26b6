/** A part of the code that mutation tests are run on. */
export interface MutationTarget {
  /** Folder whose sources are mutated, without its tests. */
  readonly folder: string;
  /** Test files that have to notice. Keep them few and quick: each runs once for a mutant that it covers. */
  readonly tests: readonly string[];
}

/** The parts by name. A mutant that survives here needs a test, or an `// Stryker disable` comment that says why it is no fault. */
export const MUTATION_TARGETS: Readonly<Record<string, MutationTarget>> = {
  admission: { folder: 'packages/gateway/src/admission', tests: ['packages/gateway/src/admission/*.test.ts'] },
};
