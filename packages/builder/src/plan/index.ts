export { detectPlan, LOOKED_FOR } from './detect-plan.ts';
export { findLocalStart, type LocalStart } from './find-local-start.ts';
export { createFolderFiles } from './project-files.ts';
