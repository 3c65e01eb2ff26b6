// Exports for image builders: the parts shared with the folder builder, and those only for images.

export { type BuildLimits, createDefaultBuildLimits } from '../build/build-limits.ts';
export { requireDiskSpace } from '../build/disk-space.ts';
export { createOutputTail, type OutputTail } from '../build/output-tail.ts';
export { translateDiskError } from '../files/disk-error.ts';
export { ensureFolder } from '../files/ensure-folder.ts';
export { formatBytes } from '../files/format-bytes.ts';
export { removeTree } from '../files/remove-tree.ts';
export { createArchiveStore } from '../intake/archive-store.ts';
export { pruneArchives } from '../intake/prune-archives.ts';
export { BASE_LANGUAGES, type BaseImages, type BaseLanguage, DEFAULT_BASE_IMAGES } from './base-images.ts';
export { type BuildEvent, type BuildProgress, type BuildStep, createBuildProgress } from './build-progress.ts';
export { checkImage } from './check-image.ts';
export { checkTriggers } from './check-sources.ts';
export { toContainerCommand } from './container-command.ts';
export { explainAbsentImage, explainBuildFailure } from './explain-build-failure.ts';
export { createImageRule, type ImageRule, isImagePattern, OFFICIAL } from './image-rule.ts';
export { ownWorkFolder } from './own-work-folder.ts';
export { packDockerfile } from './pack-context.ts';
export { type ImageSource, prepareImageSource } from './prepare-image-source.ts';
