export { detectPlan, LOOKED_FOR } from './detect/detect-plan.ts';
export { findLocalStart, type LocalStart } from './find-local-start.ts';
export { createFolderFiles } from './plan/project-files.ts';
