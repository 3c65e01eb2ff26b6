import { guardedFetch, OutboundError } from '@berth/outbound';
import type { WebhookAccess } from '../../outbound/webhook-access.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 * 2 ** 20;

/** A request to a forge that failed. The message has nothing of the response, which may come from a place that the account can't read. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  /** The status of the response; undefined when there was none. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }

  /** True when the same request would fail again. */
  get isFinal(): boolean {
    return this.status !== undefined && this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}

/** Sends a request to the API of a forge and returns the JSON of the response. @throws ForgeError */
export type CallForge = (method: string, path: string, body?: object) => Promise<unknown>;

/** Options of {@link createForgeClient}. */
export interface ForgeClientOptions {
  readonly apiUrl: string;
  /** Credentials included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly access: Pick<WebhookAccess, 'resolve' | 'isAllowed'>;
}

export function createForgeClient({ apiUrl, headers, access }: ForgeClientOptions): CallForge {
  return async (method, path, body) => {
    const { status, body: content } = await guardedFetch({
      ...{ url: apiUrl + path, method, protocols: ['https:', 'http:'], timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES },
      headers: {
        accept: 'application/json',
        'user-agent': 'Berth/1.0',
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: Buffer.from(JSON.stringify(body)) }),
      resolve: access.resolve,
      isAllowed: access.isAllowed,
    }).catch((error: unknown) => {
      if (error instanceof OutboundError) throw new ForgeError(error.message.slice(0, 300));
      throw error;
    });
    if (status < 200 || status >= 300) throw new ForgeError(describe(status), status);
    if (content.length === 0) return undefined;
    try {
      return JSON.parse(content.toString('utf8'));
    } catch {
      throw new ForgeError(
        'The forge answered with something other than JSON. Check the URL and the kind of the forge.',
      );
    }
  };
}

function describe(status: number): string {
  if (status === 401) return 'The forge refused the token (401). It may have expired.';
  if (status === 403) return 'The token lacks a permission that this needs (403).';
  if (status === 404) return "The forge doesn't know the repository, or the token can't see it (404).";
  return `The forge answered ${status}.`;
}
