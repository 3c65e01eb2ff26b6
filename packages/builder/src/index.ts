export { type BuildLimits, createDefaultBuildLimits } from './build/build-limits.ts';
export type { PackedLibrary, SuppliedLibrary } from './build/supply-library.ts';
export { hasFolderCopy } from './copies/folder-copies.ts';
export { type BuiltSource, findBuiltSource } from './copies/pack-source.ts';
export { syncTree } from './files/sync-tree.ts';
export { createFolderBuilder, type FolderBuilderOptions } from './folder-builder.ts';
export { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './intake/archive-limits.ts';
export type {
  Builder,
  BuildRequest,
  BuildResult,
  LocalBuilder,
  LocalCopies,
  LocalCopy,
  Needed,
  Pruned,
  PruneOptions,
  ReceiveOptions,
  SharedBuilds,
  StoredArchive,
} from './port/builder.ts';
export { type ShareBuilderOptions, shareArchives, shareBuilder } from './shared/share-builder.ts';
