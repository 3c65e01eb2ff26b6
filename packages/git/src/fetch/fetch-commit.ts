import { createError } from '@berth/contract';
import { OutboundError } from '@berth/outbound';
import { type PacketReader, textOf } from '../protocol/packets.ts';
import type { GitLimits } from '../sandbox/git-limits.ts';
import type { GitRepository } from '../sandbox/repository.ts';
import { connectRemote, type Remote, type RemoteCredentials } from './remote.ts';
import { connectSsh, type DeployKey } from './ssh.ts';

/** Options of `Git.fetchCommit`: a `commit`, or else a `ref`. */
export interface FetchCommitOptions {
  /** Address of the repository, without credentials. */
  readonly url: string;
  /** A branch, a tag or a full reference. Default: the remote's default branch. */
  readonly ref?: string | undefined;
  /** Full hex id. */
  readonly commit?: string | undefined;
  readonly credentials?: RemoteCredentials | undefined;
  /** Only for a `ssh:` URL, which needs one. */
  readonly deployKey?: DeployKey | undefined;
  readonly into: GitRepository;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchedCommit {
  /** Full hex id. */
  readonly commit: string;
  /** First line of the commit's message. */
  readonly subject: string;
}

/** Decides whether a tenant's URL may lead to an address. */
export type UrlRule = (address: string, url: URL) => boolean;

interface FetchContext {
  readonly isAllowed: UrlRule;
  resolve(host: string): Promise<readonly string[]>;
  readonly limits: GitLimits;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** @throws as `Git.fetchCommit` */
export async function fetchCommit(options: FetchCommitOptions, context: FetchContext): Promise<FetchedCommit> {
  const { url, ref, into, signal, credentials } = options;
  const { isAllowed, resolve, limits } = context;
  return withOutboundErrors(async () => {
    const common = { url, isAllowed, resolve, signal, totalMs: limits.fetchMs };
    await using remote = options.deployKey
      ? await connectSsh({ ...common, deployKey: options.deployKey })
      : await connectRemote({ ...common, credentials });
    const commit = options.commit?.toLowerCase() ?? (await findRef(remote, ref));
    if (!COMMIT.test(commit)) throw createError('bad_request', `"${commit}" isn't a full commit id of 40 hex digits.`);
    const response = await remote.command('fetch', ['no-progress', 'ofs-delta', 'deepen 1', `want ${commit}`, 'done']);
    await into.addPack(readPack(response, commit), { signal });
    return { commit, subject: await readSubject(into, commit) };
  });
}

/** Runs work with a remote. @throws errors of requests as those of the contract */
export async function withOutboundErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OutboundError) throw createError(ERROR_CODES[error.fault], error.message, { cause: error });
    throw error;
  }
}

/** Returns the first line of a commit's message. @throws `bad_request` when there is no such commit. */
export async function readSubject(repository: GitRepository, commit: string): Promise<string> {
  const lines = await repository.run(['log', '--no-walk', '--format=%s', `${commit}^{commit}`, '--']);
  return lines[0] ?? '';
}

const ERROR_CODES = {
  refused: 'bad_request',
  unreachable: 'unavailable',
  late: 'unavailable',
  broken: 'unavailable',
  too_long: 'payload_too_large',
} as const;

/** Returns the commit that a reference names. */
async function findRef(remote: Remote, ref = 'HEAD'): Promise<string> {
  const names = ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  if (!/^[\x21-\x7e\x80-\u{10ffff}]{1,250}$/u.test(ref)) throw createError('bad_request', 'The reference is invalid.');
  const found = new Map<string, string>();
  const reader = await remote.command('ls-refs', ['peel', ...names.map((name) => `ref-prefix ${name}`)]);
  for (let packet = await reader.next(); Buffer.isBuffer(packet); packet = await reader.next()) {
    const [id = '', name = '', ...attributes] = textOf(packet).split(' ');
    const peeled = attributes.find((attribute) => attribute.startsWith('peeled:'))?.slice('peeled:'.length);
    if (names.includes(name)) found.set(name, peeled ?? id);
  }
  const commit = names.map((name) => found.get(name)).find((id) => id !== undefined);
  if (commit === undefined) throw createError('not_found', `The repository has no branch or tag "${ref}".`);
  return commit;
}

/** Yields the pack in the response to a fetch. Source: gitprotocol-v2(5), "fetch". */
async function* readPack(reader: PacketReader, commit: string): AsyncGenerator<Uint8Array> {
  for (let packet = await reader.next(); ; packet = await reader.next()) {
    if (packet === undefined || packet === 'flush') {
      throw createError('not_found', `The repository has no commit ${commit}.`);
    }
    if (!Buffer.isBuffer(packet)) continue;
    const text = textOf(packet);
    if (text === 'packfile') break;
    if (text.startsWith('ERR ')) throw createError('not_found', `The Git server refused ${commit}: ${text.slice(4)}`);
  }
  for (let packet = await reader.next(); packet !== 'flush'; packet = await reader.next()) {
    if (packet === undefined) throw createError('unavailable', 'The Git server ended its response early. Try again.');
    if (!Buffer.isBuffer(packet)) continue;
    if (packet[0] === 1) yield packet.subarray(1);
    if (packet[0] === 3) {
      throw createError('unavailable', `The Git server reported an error: ${textOf(packet.subarray(1))}`);
    }
  }
}
