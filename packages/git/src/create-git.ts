import { lookup } from 'node:dns/promises';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createError } from '@berth/contract';
import { createAddressRule } from '@berth/outbound';
import type { CommandSandbox, Owner } from '@berth/runtime';
import {
  type FetchCommitOptions,
  type FetchedCommit,
  fetchCommit,
  type UrlRule,
  withOutboundErrors,
} from './fetch/fetch-commit.ts';
import { readHostKey } from './fetch/ssh.ts';
import { createDefaultGitLimits, type GitLimits } from './sandbox/git-limits.ts';
import { type GitRepository, openRepository, type ProducedFile } from './sandbox/repository.ts';
import { requireGit } from './sandbox/run-git.ts';

/** Time to read a host key. */
const SCAN_MS = 30_000;

/** Options of {@link createGit}. */
export interface GitOptions {
  /** Undefined when this machine's runtime has no sandbox for commands. */
  readonly sandbox: CommandSandbox | undefined;
  /** Absolute folder for repositories while they are in use; emptied before the first. Tenants' programs must be able to see it. */
  readonly workFolder: string;
  /** Decides to which addresses a tenant's URL may lead. Default: public ones. */
  readonly isAllowed?: UrlRule;
  /** Returns the addresses of a host. Default: the machine's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Limits that differ from `createDefaultGitLimits`. */
  readonly limits?: Partial<GitLimits>;
}

/** Options of {@link Git.archiveCommit}. */
export interface ArchiveCommitOptions {
  readonly repository: GitRepository;
  /** Full hex id. */
  readonly commit: string;
  /** Path of a folder in the commit. Default: all files. */
  readonly folder?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Git on data of tenants. All methods throw `not_available` on a server that can't run Git. */
export interface Git {
  readonly limits: GitLimits;
  /** @throws `not_available` when this server can't run Git */
  requireProgram(): Promise<void>;
  /** Creates an empty repository of an owner. */
  openRepository(owner: Owner): Promise<GitRepository>;
  /**
   * Gets one commit without its history from a remote, over http, https or ssh.
   * @throws `bad_request` for a URL that isn't allowed or no Git server, `forbidden`, `not_found`, `payload_too_large`, `unavailable`;
   *   the signal's reason
   */
  fetchCommit(options: FetchCommitOptions): Promise<FetchedCommit>;
  /**
   * Returns the fingerprint of a server's host key, such as `SHA256:…`, as `ssh-keygen -l` prints it.
   * @throws as {@link fetchCommit}
   */
  readHostKey(options: { readonly url: string; readonly signal?: AbortSignal | undefined }): Promise<string>;
  /**
   * Writes a commit's files as a `tar.gz`, which goes with the repository. Links and sizes are checked by the intake of archives.
   * @throws `not_found` for an unknown commit or folder
   */
  archiveCommit(options: ArchiveCommitOptions): Promise<ProducedFile>;
}

/** Creates a {@link Git}. */
export function createGit({ sandbox, workFolder, limits: own, ...options }: GitOptions): Git {
  const { isAllowed = createAddressRule(), resolve = resolveHost } = options;
  const limits = { ...createDefaultGitLimits(), ...own };
  let emptied: Promise<unknown> | undefined;
  const emptyFolder = async () => {
    // Repositories that a killed server left behind.
    await rm(workFolder, { recursive: true, force: true });
    await mkdir(workFolder, { recursive: true });
    // Whatever the umask is, owners' users must be able to pass through.
    await chmod(workFolder, 0o711);
  };
  return {
    limits,
    requireProgram: async () => void (await requireGit(sandbox)),
    async openRepository(owner) {
      await requireGit(sandbox);
      if (!sandbox) throw new Error('requireGit accepts no missing sandbox');
      emptied ??= emptyFolder();
      await emptied;
      return openRepository({ sandbox, owner, workFolder, limits });
    },
    fetchCommit: (request) => fetchCommit(request, { isAllowed, resolve, limits }),
    readHostKey: (request) =>
      withOutboundErrors(() => readHostKey({ signal: undefined, ...request, isAllowed, resolve, totalMs: SCAN_MS })),
    archiveCommit,
  };
}

const resolveHost = async (host: string) =>
  (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);

async function archiveCommit({ repository, commit, folder = '', signal }: ArchiveCommitOptions): Promise<ProducedFile> {
  const path = folder.split('/').filter((segment) => segment !== '' && segment !== '.');
  const isFolder = async () => {
    const [entry] = await repository.run(['ls-tree', '-d', commit, '--', path.join('/')], { signal });
    return entry?.startsWith('040000 tree ') ?? false;
  };
  if (path.length > 0 && !(await isFolder())) throw createError('not_found', `The commit has no folder "${folder}".`);
  return repository.produce(
    'archive.tar.gz',
    (file) => [
      'archive',
      '--format=tar.gz',
      `--output=${file}`,
      path.length === 0 ? commit : `${commit}:${path.join('/')}`,
    ],
    { signal },
  );
}
