import { test } from 'vitest';

/** Tests of a contract that a driver does not pass, by name, and why. */
export interface ContractSkip {
  readonly reason: string;
  readonly tests: readonly string[];
}

/** `test` for one contract: what is in `skips` is reported as skipped, with the reason in its name. */
export type ContractTest = (name: string, body: () => Promise<void>) => void;

/**
 * Makes the `test` of a contract, and the check that every skip names a test that there is: a skip that lost its test would
 * go unseen for ever.
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
