import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';

/** What `connect`, or a connection that was open, fails with when the engine is gone. Source: connect(2), Node's `http`. */
const AWAY = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'UND_ERR_SOCKET']);

/** The status that the engine answered, when the error is an answer of it. */
export function engineStatus(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The engine's own words, without the frame that the client puts around them. */
export function engineMessage(error: unknown): string {
  const said = (error as { readonly json?: { readonly message?: unknown } } | undefined)?.json?.message;
  const text = typeof said === 'string' ? said : error instanceof Error ? error.message : String(error);
  return text.trim();
}

/** There is no engine at the other end, or no longer: the same call may work later. */
export function isEngineAway(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  return AWAY.has(String(code)) || name === 'TimeoutError' || message === 'socket hang up';
}

/**
 * Errors of a call to the engine in the words of Berth: `unavailable` when it is away or may not be spoken to; a
 * BerthError as it is; others as they came.
 */
export function translateEngineError(error: unknown, address: string): unknown {
  if (BerthError.is(error)) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'EACCES' || code === 'EPERM') {
    return createError(
      'unavailable',
      `This server may not use the Docker engine at ${address}: run it as root, or add its user to the group docker.`,
      { cause: error },
    );
  }
  if (!isEngineAway(error)) return error;
  return createError(
    'unavailable',
    `No Docker engine answers at ${address}. Start it (systemctl start docker), or say where it is with DOCKER_HOST.`,
    { cause: error },
  );
}
