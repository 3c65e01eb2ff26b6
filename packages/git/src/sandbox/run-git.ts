import { createError } from '@berth/contract';
import type { CommandSandbox, Owner } from '@berth/runtime';
import type { GitLimits } from './git-limits.ts';

/** Bytes of a command's output, which are kept in memory. */
const MAX_OUTPUT_BYTES = 2 ** 20;

/** One command of Git. */
export interface GitCommand {
  readonly owner: Owner;
  /** Absolute path of a bare repository. */
  readonly repository: string;
  /** The only folder that the command may write, which contains the repository. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Configuration of every command. The data is a tenant's, so nothing of it may start a program or a connection: hooks, file system
 * monitors, filters, helpers and transports are off. Objects are checked as they arrive. One thread keeps memory within its limit.
 */
const CONFIGURATION: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.bigFileThreshold=16m',
  'protocol.allow=never',
  'credential.helper=',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'pack.threads=1',
  'pack.windowMemory=128m',
  'tar.tar.gz.command=git archive gzip',
];

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/**
 * Runs Git in the sandbox and returns its lines of output.
 * @throws `not_available` when the machine has no Git; `bad_request` with Git's own message when the command fails;
 *   `payload_too_large` above a limit; `cancelled`
 */
export async function runGit(
  sandbox: CommandSandbox,
  { owner, repository, folder, args, signal }: GitCommand,
  limits: GitLimits,
): Promise<readonly string[]> {
  const program = await requireGit(sandbox);
  const lines: string[] = [];
  const { commandMs: timeoutMs, memoryBytes, cpuMillis, diskBytes } = limits;
  const outcome = await sandbox.run(
    {
      owner,
      argv: [program, ...CONFIGURATION.flatMap((setting) => ['-c', setting]), ...args],
      workingFolder: folder,
      env: { ...ENVIRONMENT, GIT_DIR: repository },
      writableFolders: [folder],
      readableFolders: [],
      limits: { timeoutMs, memoryBytes, cpuMillis, processes: 32, outputBytes: MAX_OUTPUT_BYTES, diskBytes },
      onLine: (line) => void lines.push(line),
    },
    signal ? { signal } : {},
  );
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return lines;
  switch (outcome.kind) {
    case 'cancelled':
      throw createError('cancelled', 'The work on the repository was canceled.');
    case 'exited':
      throw createError('bad_request', `Git refused the repository's data: ${explain(lines)}`);
    case 'signalled':
      throw createError('bad_request', `Git was ended by ${outcome.signal} while it read the repository's data.`);
    default:
      throw createError('payload_too_large', `The repository is too large for this server (${outcome.kind}).`);
  }
}

/** Returns the path of Git. @throws `not_available` when the machine has none. */
export async function requireGit(sandbox: CommandSandbox | undefined): Promise<string> {
  const program = await sandbox?.findProgram('git');
  if (program !== undefined) return program;
  const message = sandbox
    ? 'Git or its sandbox is not installed on this server. Its operator can install both, e.g. `apt-get install git bubblewrap`.'
    : 'This server runs services on a cluster, where Berth has no sandbox for Git. Use `berth deploy`.';
  throw createError('not_available', message);
}

function explain(lines: readonly string[]): string {
  const fatal = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1);
  return fatal?.replace(/^(fatal|error): /, '') ?? 'no message';
}
