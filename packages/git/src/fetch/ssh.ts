import { createHash } from 'node:crypto';
import { createError } from '@berth/contract';
import { type GuardedRequestOptions, guardedConnect } from '@berth/outbound';
import type { Client, ClientChannel, ConnectConfig } from 'ssh2';
import { createPacketReader, FLUSH } from '../protocol/packets.ts';
import { encodeCommand, type Remote, requireVersion2 } from './remote.ts';

/** The key of one repository, and the server that it is for. */
export interface DeployKey {
  /** Private half, as OpenSSH writes it. */
  readonly privateKey: string;
  /** Fingerprint of the host key that the server must have. */
  readonly hostKey: string;
}

interface SshOptions extends Pick<GuardedRequestOptions, 'isAllowed' | 'resolve'> {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Time of everything. */
  readonly totalMs: number;
}

const PORT = 22;
const CONNECT_MS = 30_000;
const MAX_STDERR = 1_000;
/** Paths that no shell of a server reads as anything else. */
const PATH = /^\/[\w.~+/-]+$/;

/** Loaded with the first connection. */
const loadSsh = async () => (await import('ssh2')).default;

/** Makes a key pair. The public half is a line for a forge's deploy keys. */
export async function createDeployKeyPair(
  comment: string,
): Promise<{ readonly private: string; readonly public: string }> {
  const { utils } = await loadSsh();
  return utils.generateKeyPairSync('ed25519', { comment });
}

/** Returns the fingerprint of a server's host key, without signing in. @throws as {@link connectSsh} */
export async function readHostKey(options: SshOptions): Promise<string> {
  const target = parseUrl(options.url);
  const seen = Promise.withResolvers<string>();
  const opening = openClient(target, options, {
    hostVerifier: (key: Buffer) => {
      seen.resolve(fingerprint(key));
      return false;
    },
  });
  // It always fails: the key is refused once it was read.
  return Promise.race([seen.promise, opening.then(() => seen.promise)]);
}

/**
 * Connects to a repository by SSH. Nothing is sent to a server with another host key.
 * @throws OutboundError; `forbidden` when the server has another host key or refuses the deploy key; `unavailable`, `bad_request`
 */
export async function connectSsh({ deployKey, ...options }: SshOptions & { deployKey: DeployKey }): Promise<Remote> {
  const target = parseUrl(options.url);
  const { client, close } = await openClient(target, options, {
    privateKey: deployKey.privateKey,
    hostVerifier: (key: Buffer) => fingerprint(key) === deployKey.hostKey,
  });
  try {
    const channel = await new Promise<ClientChannel>((resolve, reject) => {
      const env = { GIT_PROTOCOL: 'version=2' };
      client.exec(`git-upload-pack '${target.pathname}'`, { env }, (error, opened) =>
        error ? reject(error) : resolve(opened),
      );
    });
    let said = '';
    channel.stderr.on('data', (chunk: Buffer) => {
      if (said.length < MAX_STDERR) said += chunk.toString('utf8');
    });
    client.on('error', (error) => channel.emit('error', error));
    const reader = createPacketReader(readAll(channel, target.host));
    await requireVersion2(reader, target.host).catch((error: unknown) => {
      const reason = said.replace(/[^\x20-\x7e]+/g, ' ').trim();
      throw reason === '' ? error : createError('forbidden', `${target.host} refused the repository: ${reason}`);
    });
    return {
      async command(name, args) {
        channel.write(encodeCommand(name, args));
        return reader;
      },
      async [Symbol.asyncDispose]() {
        channel.end(FLUSH);
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

async function* readAll(channel: ClientChannel, host: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of channel) yield chunk as Uint8Array;
  } catch (error) {
    throw createError('unavailable', `The connection to ${host} ended early. Try again.`, { cause: error });
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol !== 'ssh:' || url.password !== '' || !PATH.test(url.pathname)) {
    throw createError('bad_request', 'The URL must be like ssh://git@example.com/me/app.git.');
  }
  return url;
}

/** A client that has signed in. `close` ends it; so do its time and the signal. */
interface OpenClient {
  readonly client: Client;
  close(): void;
}

async function openClient(url: URL, options: SshOptions, config: ConnectConfig): Promise<OpenClient> {
  const { isAllowed, resolve, signal, totalMs } = options;
  const socket = await guardedConnect({ url, isAllowed, resolve, signal, defaultPort: PORT, timeoutMs: CONNECT_MS });
  const client = new (await loadSsh()).Client();
  const end = () => client.destroy();
  const timer = setTimeout(end, totalMs);
  signal?.addEventListener('abort', end, { once: true });
  const close = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    client.on('error', () => {});
    client.destroy();
  };
  try {
    await new Promise<void>((ready, reject) => {
      client.on('ready', ready);
      client.on('error', reject);
      client.on('close', () => reject(new Error('the connection was closed')));
      client.connect({
        ...config,
        sock: socket,
        username: url.username === '' ? 'git' : decodeURIComponent(url.username),
        readyTimeout: CONNECT_MS,
        // Nothing of this machine is used to sign in.
        authHandler: ['publickey'],
      });
    });
    return { client, close };
  } catch (error) {
    close();
    signal?.throwIfAborted();
    throw describe(error as Error & { readonly level?: string }, url);
  }
}

function describe({ level, message }: { readonly level?: string; readonly message: string }, { host }: URL) {
  if (level === 'client-authentication') {
    return createError('forbidden', `${host} refused the deploy key. Add it to the deploy keys of the repository.`);
  }
  if (message.includes('Host denied')) {
    return createError(
      'forbidden',
      `${host} has another host key than when the repository was connected. If that is expected, disconnect and connect again.`,
    );
  }
  return createError('unavailable', `${host} can't be reached by SSH: ${message}`);
}

/** As `ssh-keygen -l` prints it. */
const fingerprint = (key: Buffer) => `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
