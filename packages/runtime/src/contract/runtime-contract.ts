import type { InstanceSpec } from '../runtime.ts';
import type { ContractTest } from './contract-skips.ts';
import type { Program, RuntimeHarness, Started } from './runtime-harness.ts';

/** The helpers that the parts of the contract suite share. */
export interface RuntimeContract {
  readonly contractTest: ContractTest;
  /** Returns the harness of the current test. */
  readonly open: () => Promise<RuntimeHarness>;
  /** Opens the harness and starts a program with it. */
  readonly run: (
    program: Program,
    overrides?: Partial<InstanceSpec>,
  ) => Promise<Started & { readonly harness: RuntimeHarness }>;
}
