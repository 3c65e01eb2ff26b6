import { createError } from '@berth/contract';
import { type GuardedRequestOptions, type GuardedResponse, guardedRequest } from '@berth/outbound';
import { createPacketReader, DELIMITER, encodePacket, FLUSH, type PacketReader, textOf } from '../protocol/packets.ts';

/** A name and password, or a name and a token. */
export interface RemoteCredentials {
  readonly username: string;
  readonly password: string;
}

/** A repository on a Git server that speaks protocol version 2. */
export interface Remote extends AsyncDisposable {
  /** Runs a command and returns the response. */
  command(name: string, args: readonly string[]): Promise<PacketReader>;
}

interface ConnectOptions {
  readonly url: string;
  readonly credentials: RemoteCredentials | undefined;
  readonly isAllowed: GuardedRequestOptions['isAllowed'];
  resolve(host: string): Promise<readonly string[]>;
  readonly signal: AbortSignal | undefined;
  /** Timeout of each request with its response. */
  readonly totalMs: number;
}

const ADVERTISEMENT = '/info/refs?service=git-upload-pack';
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 3;

/**
 * Connects to a repository. As Git does, it follows redirects of the first request, and sends the next ones where that ended; credentials
 * stay at the URL's own origin.
 * @throws OutboundError; `forbidden`, `not_found`, `unavailable`, `bad_request` when no Git server answers
 */
export async function connectRemote(options: ConnectOptions): Promise<Remote> {
  const { credentials, isAllowed, resolve, signal, totalMs } = options;
  const base = options.url.replace(/\/+$/, '');
  const authorization = credentials && {
    Authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`,
  };
  const common = {
    protocols: ['https:', 'http:'],
    ...{ resolve, isAllowed, totalMs, timeoutMs: TIMEOUT_MS },
    ...(signal && { signal }),
  };
  const shared = { 'Git-Protocol': 'version=2', 'User-Agent': 'git/berth' };

  const first = await guardedRequest({
    ...common,
    url: `${base}${ADVERTISEMENT}`,
    headers: { ...shared, ...authorization },
    maxRedirects: MAX_REDIRECTS,
  });
  refuseStatus(first);
  const end = first.url.lastIndexOf(ADVERTISEMENT);
  if (end < 0) throw createError('bad_request', `${first.url} isn't a Git repository.`);
  const home = first.url.slice(0, end);
  const isMoved = URL.parse(home)?.origin !== URL.parse(base)?.origin;
  await requireAdvertisement(first);
  return {
    async command(name, args) {
      const body = encodeCommand(name, args);
      const response = await guardedRequest({
        ...common,
        url: `${home}/git-upload-pack`,
        method: 'POST',
        headers: {
          ...shared,
          ...(isMoved ? {} : authorization),
          'Content-Type': 'application/x-git-upload-pack-request',
          Accept: 'application/x-git-upload-pack-result',
        },
        body,
      });
      refuseStatus(response);
      return createPacketReader(response.body);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Returns the request of a command. Source: gitprotocol-v2(5), "Command Request". */
export function encodeCommand(name: string, args: readonly string[]): Buffer {
  return Buffer.concat([
    ...[`command=${name}\n`, 'agent=git/berth\n', 'object-format=sha1\n'].map(encodePacket),
    Buffer.from(DELIMITER),
    ...args.map((arg) => encodePacket(`${arg}\n`)),
    Buffer.from(FLUSH),
  ]);
}

function refuseStatus({ status, url, discard }: GuardedResponse): void {
  if (status === 200) return;
  discard();
  const host = URL.parse(url)?.host;
  if (status === 401 || status === 403) {
    throw createError(
      'forbidden',
      `${host} refused access to the repository (${status}). Check the URL and the token.`,
    );
  }
  if (status === 404) throw createError('not_found', `${host} has no such repository, or it needs a token.`);
  if (status >= 500 || status === 429) throw createError('unavailable', `${host} answered ${status}. Try again.`);
  throw createError('bad_request', `${host} answered ${status}, so the URL isn't a Git repository's.`);
}

/** Source: gitprotocol-http(5), "Smart Clients". */
async function requireAdvertisement({ body, url, headers, discard }: GuardedResponse): Promise<void> {
  const host = URL.parse(url)?.host;
  if (headers['content-type'] !== 'application/x-git-upload-pack-advertisement') {
    discard();
    throw createError('bad_request', `${host} has no Git repository at this URL.`);
  }
  await requireVersion2(createPacketReader(body), host);
  discard();
}

/**
 * Reads what a server can do. Source: gitprotocol-v2(5), "Capability Advertisement".
 * @throws `bad_request` for what can't be used
 */
export async function requireVersion2(reader: PacketReader, host: string | undefined): Promise<void> {
  const capabilities: string[] = [];
  for (let packet = await reader.next(); packet !== undefined; packet = await reader.next()) {
    if (!Buffer.isBuffer(packet)) {
      if (capabilities.length > 0) break;
      continue;
    }
    const text = textOf(packet);
    if (!text.startsWith('# service=')) capabilities.push(text);
  }
  const fetch = capabilities
    .find((capability) => capability.startsWith('fetch='))
    ?.slice('fetch='.length)
    .split(' ');
  if (capabilities[0] !== 'version 2' || !fetch?.includes('shallow')) {
    throw createError('bad_request', `${host} doesn't support version 2 of Git's protocol.`);
  }
  if (capabilities.includes('object-format=sha256')) {
    throw createError('bad_request', 'Repositories with SHA-256 object ids are not supported.');
  }
}
