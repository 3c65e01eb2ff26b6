import { test } from 'vitest';

/** Contract tests, by name, that a driver doesn't pass, and the reason. */
export interface ContractSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** A vitest `test` for one contract, which reports skipped tests with the reason in their name. */
export type ContractTest = (name: string, body: () => Promise<void>) => void;

/**
 * Returns the `test` function of a contract, and a check that every skip names an existing test. Without the check, a skip whose test
 * was renamed would go unnoticed.
 */
export function createContractTest(skips: readonly ContractSkip[]): {
  readonly contractTest: ContractTest;
  readonly checkSkips: () => void;
} {
  const seen = new Set<string>();
  return {
    contractTest(name, body) {
      seen.add(name);
      const skip = skips.find(({ tests }) => tests.includes(name));
      if (skip) test.skip(`${name} (${skip.reason})`, body);
      else test(name, body);
    },
    checkSkips() {
      const unknown = skips.flatMap(({ tests }) => tests).filter((name) => !seen.has(name));
      if (unknown.length > 0) throw new Error(`skipped but not a test of this contract: ${unknown.join('; ')}`);
    },
  };
}
