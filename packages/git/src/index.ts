export { type ArchiveCommitOptions, createGit, type Git, type GitOptions } from './create-git.ts';
export type { FetchCommitOptions, FetchedCommit } from './fetch/fetch-commit.ts';
export type { GitLimits } from './sandbox/git-limits.ts';
export type { GitRepository, ProducedFile } from './sandbox/repository.ts';
