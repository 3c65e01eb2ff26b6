import { request } from 'node:http';
import { isIP } from 'node:net';
import type { AddressRule } from './address-rule.ts';

/** A request that the platform makes because a tenant asked for it. */
export interface GuardedGetOptions {
  /** `http:` only, without credentials. */
  readonly url: string;
  /** The addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  readonly isAllowed: AddressRule;
  /** For all of it: names, connecting, the answer. */
  readonly timeoutMs: number;
  /** Of the body; a longer one is cut there. */
  readonly maxBytes: number;
}

/** What was answered. */
export interface GuardedAnswer {
  readonly status: number;
  /** At most `maxBytes` of it, as UTF-8. */
  readonly body: string;
}

/** Addresses of a name that are tried, one after another. */
const MAX_ADDRESSES = 4;

/**
 * Gets a URL without ever talking to an address that the rule refuses. The name is resolved here, every one of its
 * addresses is judged, and the connection goes to a judged address and not to the name, so that a second look-up can't
 * answer another one; the socket's far end is judged once more. Redirects are not followed.
 * @throws Error with a sentence that says nothing of the network inside.
 */
export async function guardedGet(options: GuardedGetOptions): Promise<GuardedAnswer> {
  const url = new URL(options.url);
  if (url.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new Error('Only plain http:// addresses without credentials are asked.');
  }
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const late = () => new Error(`${url.host} did not answer in ${options.timeoutMs / 1_000} s.`);
  const addresses = await withDeadline(judgedAddresses(url, options), deadline, late);
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await getFrom(address, url, options, deadline);
    } catch (error) {
      failure = error;
      if (deadline.aborted) throw late();
    }
  }
  const code = (failure as NodeJS.ErrnoException).code;
  throw new Error(code === undefined ? (failure as Error).message : `${url.host} can not be reached (${code}).`);
}

async function judgedAddresses(url: URL, { resolve, isAllowed }: GuardedGetOptions): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) throw new Error(`${host} has no address.`);
  // One bad address among good ones is no accident: it is how a name is bent inward.
  if (!addresses.every(isAllowed)) throw new Error(`${host} leads to an address that is not public.`);
  return addresses;
}

function getFrom(
  address: string,
  url: URL,
  { isAllowed, maxBytes }: GuardedGetOptions,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: address,
      port: url.port === '' ? 80 : Number(url.port),
      path: url.pathname + url.search,
      headers: { Host: url.host, 'User-Agent': 'berth', Accept: '*/*', Connection: 'close' },
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    });
    outgoing.on('socket', (socket) =>
      socket.on('connect', () => {
        if (isAllowed(socket.remoteAddress ?? '')) return;
        outgoing.destroy(new Error(`${url.host} leads to an address that is not public.`));
      }),
    );
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = () => {
        outgoing.destroy();
        resolve({
          status: incoming.statusCode ?? 0,
          body: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8'),
        });
      };
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= maxBytes) finish();
      });
      incoming.on('end', finish);
      incoming.on('error', reject);
    });
    outgoing.end();
  });
}

async function withDeadline<Value>(work: Promise<Value>, deadline: AbortSignal, late: () => Error): Promise<Value> {
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(late());
  deadline.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    deadline.removeEventListener('abort', onAbort);
  }
}
