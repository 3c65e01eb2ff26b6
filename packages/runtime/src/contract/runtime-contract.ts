import type { InstanceSpec } from '../runtime.ts';
import type { ContractTest } from './contract-skips.ts';
import type { Program, RuntimeHarness, Started } from './runtime-harness.ts';

/** What the parts of the suite share. */
export interface RuntimeContract {
  readonly contractTest: ContractTest;
  /** The harness of this test. */
  readonly open: () => Promise<RuntimeHarness>;
  /** Opens it, and starts a program with it. */
  readonly run: (
    program: Program,
    overrides?: Partial<InstanceSpec>,
  ) => Promise<Started & { readonly harness: RuntimeHarness }>;
}
