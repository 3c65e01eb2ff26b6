export type { ContractSkip } from './contract-skips.ts';
export {
  type CommandSandboxContractOptions,
  type CommandSandboxHarness,
  describeCommandSandbox,
} from './describe-command-sandbox.ts';
export { describeRuntime, type RuntimeContractOptions } from './describe-runtime.ts';
export { findMarked } from './find-marked.ts';
export { type Program, type RuntimeHarness, script, server, start } from './runtime-harness.ts';
