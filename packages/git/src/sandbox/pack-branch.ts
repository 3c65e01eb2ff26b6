import { open } from 'node:fs/promises';
import type { GitRepository } from './repository.ts';

/** A pack inside a file. */
export interface PackedBranch {
  readonly path: string;
  /** Where the pack begins. */
  readonly offset: number;
  readonly sizeBytes: number;
}

const BUNDLE_NAME = 'branch.bundle';
/** A bundle begins with one short line for each reference. Source: gitformat-bundle(5). */
const MAX_HEADER_BYTES = 4_096;

/**
 * Packs a commit, and others that are kept, with their whole histories into one file, which goes with the repository. Fails when an object
 * is missing, so what is stored is complete.
 * @param kept full hex ids
 * @throws `bad_request`
 */
export async function packBranch(
  repository: GitRepository,
  commit: string,
  kept: readonly string[],
  options?: { readonly signal?: AbortSignal | undefined },
): Promise<PackedBranch> {
  const branches = [commit, ...kept].map((id, at) => [at === 0 ? 'main' : `kept-${at}`, id] as const);
  for (const [branch, id] of branches) await repository.setBranch(branch, id);
  const refs = branches.map(([branch]) => `refs/heads/${branch}`);
  const file = await repository.produce(
    BUNDLE_NAME,
    (path) => ['bundle', 'create', '--quiet', '--version=2', path, ...refs],
    options,
  );
  await using handle = await open(file.path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  const end = buffer.subarray(0, bytesRead).indexOf('\n\nPACK');
  if (end < 0) throw new Error('Git made a bundle without a pack');
  return { path: file.path, offset: end + 2, sizeBytes: file.sizeBytes - end - 2 };
}
