import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';

/** Descriptions of socket errors for people. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the request timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the request timed out',
  TimeoutError: 'the request timed out',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
};

/**
 * The error of a call that got no answer: `unavailable`, with `details.network` the socket's own code and `details.address`.
 * A {@link BerthError} is passed through.
 */
export function connectionError(error: unknown, baseUrl: string): BerthError {
  if (BerthError.is(error)) return error;
  const network = socketCode(error) ?? 'unknown';
  const reason = REASONS[network] ?? rootMessage(error);
  return createError('unavailable', `Can't reach ${baseUrl}: ${reason}.`, {
    details: { network, address: baseUrl },
    cause: error,
  });
}

/** True for a call that got no answer at all, as against one that was answered 503. */
export function isConnectionError(error: unknown): error is BerthError {
  return BerthError.is(error, 'unavailable') && 'network' in error.details;
}

/** `fetch` hides the socket's error in `cause`, and that of several addresses in `errors` of the cause. */
function socketCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError) {
    const codes = error.errors.map(socketCode).filter((code) => code !== undefined);
    if (codes[0] !== undefined) return codes[0];
  }
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error.name === 'TimeoutError' ? error.name : socketCode(error.cause);
}

/** The innermost cause is the most specific: `fetch` itself always says "fetch failed". */
function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : rootMessage(error.cause);
}
