export type { Builder, BuildRequest, BuildResult, ReceiveOptions, StoredArchive } from './builder.ts';
