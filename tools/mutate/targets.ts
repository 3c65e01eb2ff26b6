/** A part of the code that mutation tests are run on. */
export interface MutationTarget {
  /** Files that are mutated, as globs; tests and what is in `testing` folders never are. */
  readonly sources: readonly string[];
  /** Test files that have to notice. Keep them few and quick: each runs once for a mutant that it covers. */
  readonly tests: readonly string[];
}

const RUNS = 'packages/agent/src/runs';
const DEPLOYS = 'packages/control/src/deployments/deploys';

/** The parts by name. A mutant that survives here needs a test, or an `// Stryker disable` comment that says why it is no fault. */
export const MUTATION_TARGETS: Readonly<Record<string, MutationTarget>> = {
  admission: {
    sources: ['packages/gateway/src/admission/**/*.ts'],
    tests: ['packages/gateway/src/admission/*.test.ts'],
  },
  // The files that decide what a deploy does next, and which process drives it.
  'deploy-runner': {
    sources: [
      `${DEPLOYS}/{deploy-runner,run-deploy,prepare-revision}.ts`,
      `${DEPLOYS}/records/{deploy-lease,deploy-step}.ts`,
    ],
    tests: [
      `${DEPLOYS}/{deploy-runner,deploy-service,redeploy,release-revision}.test.ts`,
      `${DEPLOYS}/records/*.test.ts`,
    ],
  },
  // The engine of runs: who may start, read and stop a run, and how it is settled.
  runs: {
    sources: [`${RUNS}/{create-run-engine,create-run-reader,drive-run,settle-run}.ts`],
    tests: [`${RUNS}/{create-run-engine,create-run-reader,follow-run,interrupted-run,run-limits,run-upkeep}.test.ts`],
  },
  signing: {
    sources: ['packages/object-store/src/signing/*.ts'],
    tests: ['packages/object-store/src/signing/*.test.ts'],
  },
  // The filter language of logs: the parser and both compilers. Its property test is left out: it takes seconds, and its examples
  // differ from run to run.
  'log-filters': {
    sources: ['packages/logstore/src/query/filter/*.ts'],
    tests: ['packages/logstore/src/query/filter/{evaluators,filter-bounds,language,parse-filter,to-sql}.test.ts'],
  },
};
