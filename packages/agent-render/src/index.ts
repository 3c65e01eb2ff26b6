export { createOfficeFiles } from './create-office-files.ts';
export type { OfficeFiles, ShowOptions } from './office-files.ts';
export { openRenderer } from './open-renderer.ts';
export { checkRenderOptions, type RenderOptions } from './render-options.ts';
