export type { OfficeFiles, ShowOptions } from './create-office-files.ts';
export { createOfficeFiles } from './create-office-files.ts';
export { checkRenderOptions, openRenderer, type RenderOptions } from './open-renderer.ts';
export { officeFormat } from './renderer/office-format.ts';
