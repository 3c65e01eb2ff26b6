import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { CommandSandbox, Owner } from '@berth/runtime';
import type { GitLimits } from './git-limits.ts';
import { runGit } from './run-git.ts';

/** A bare repository in a folder of its own. Disposing removes the folder. */
export interface GitRepository extends AsyncDisposable {
  /**
   * Adds the objects of a pack, which must be complete in itself or with packs added earlier.
   * @throws `payload_too_large` above the limit; `bad_request` for a damaged pack; the signal's reason
   */
  addPack(pack: AsyncIterable<Uint8Array>, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Writes a pack to disk, as {@link addPack}, and returns a function that adds its objects. */
  receivePack(
    pack: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<() => Promise<void>>;
  /** Points a branch at a commit, which nothing checks. @param branch of letters and digits @param commit full hex id */
  setBranch(branch: string, commit: string): Promise<void>;
  /** Runs Git in the repository; see {@link runGit}. */
  run(args: readonly string[], options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly string[]>;
  /**
   * Runs Git and returns the file that it wrote: `args` gets the file's path.
   * @param name of the file, without folders.
   */
  produce(
    name: string,
    args: (path: string) => readonly string[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ProducedFile>;
}

/** A file of a repository's folder, which the server owns. */
export interface ProducedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

interface OpenOptions {
  readonly sandbox: CommandSandbox;
  readonly owner: Owner;
  /** The folder above; must exist. */
  readonly workFolder: string;
  readonly limits: GitLimits;
}

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';

/**
 * Creates an empty repository. Invariants:
 * 1. Only the server writes the repository's configuration and references; a tenant's data enters as packs.
 * 2. The folder belongs to the owner's user only while Git runs. The server reads and removes files after it sealed the folder.
 */
export async function openRepository({ sandbox, owner, workFolder, limits }: OpenOptions): Promise<GitRepository> {
  const folder = join(workFolder, randomUUID());
  const repository = join(folder, 'repository');
  await mkdir(folder, { mode: 0o711 });
  await chmod(folder, 0o711);
  for (const path of ['objects/pack', 'objects/info', 'refs/heads']) {
    await mkdir(join(repository, path), { recursive: true });
  }
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(repository, 'config'), CONFIG);
  let packs = 0;

  const run: GitRepository['run'] = async (args, { signal } = {}) => {
    await sandbox.giveToOwner(folder, owner);
    try {
      return await runGit(sandbox, { owner, repository, folder, args, signal }, limits);
    } finally {
      await sandbox.seal(folder, owner);
    }
  };
  const receivePack: GitRepository['receivePack'] = async (pack, options = {}) => {
    const path = join(repository, 'objects', 'pack', `pack-${++packs}.pack`);
    await writePack(path, pack, limits.packBytes, options.signal);
    return async () => void (await run(['index-pack', '--fsck-objects', path], options));
  };
  return {
    run,
    receivePack,
    async addPack(pack, options) {
      const index = await receivePack(pack, options);
      await index();
    },
    async setBranch(branch, commit) {
      if (!/^[a-z0-9-]+ [0-9a-f]{40}$/.test(`${branch} ${commit}`))
        throw new RangeError('the branch or commit is invalid');
      await writeFile(join(repository, 'refs', 'heads', branch), `${commit}\n`);
    },
    async produce(name, args, options) {
      const path = join(folder, name);
      await run(args(path), options);
      const stats = await lstat(path);
      if (!stats.isFile()) throw new Error(`Git made no file at ${path}`);
      return { path, sizeBytes: stats.size };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writePack(
  path: string,
  pack: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await using file = await open(path, 'wx', 0o644);
  let sizeBytes = 0;
  for await (const chunk of pack) {
    signal?.throwIfAborted();
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) {
      throw createError('payload_too_large', `The data is over ${maxBytes / 2 ** 20} MiB, the limit of this server.`);
    }
    await file.writeFile(chunk);
  }
}
