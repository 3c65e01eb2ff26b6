export type { Confinement } from './confinement/confinement.ts';
export { type ConfinementOptions, createConfinement } from './confinement/create-confinement.ts';
export { type AccountGroups, openAccountGroups } from './confinement/open-account-groups.ts';
export { removeLeftovers } from './confinement/remove-leftovers.ts';
export { forgetState } from './confinement/state-places.ts';
export { createProcessRuntime, type ProcessRuntimeOptions } from './create-process-runtime.ts';
export { createProcessSandbox, type ProcessSandboxOptions } from './create-process-sandbox.ts';
export { prepareWorkRoot, type WorkRootOptions } from './host/work-root.ts';
