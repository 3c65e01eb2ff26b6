import { createError } from '@berth/contract';
import { BerthError } from '@berth/kit';

/** Error codes of new and open connections when the engine is unavailable. Source: connect(2), Node's `http`. */
const AWAY = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'UND_ERR_SOCKET']);

/** Returns the HTTP status of an error response of the engine; undefined for any other error. */
export function engineStatus(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | undefined)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** Returns the engine's own message, without the text that the client adds. */
export function engineMessage(error: unknown): string {
  const said = (error as { readonly json?: { readonly message?: unknown } } | undefined)?.json?.message;
  const text = typeof said === 'string' ? said : error instanceof Error ? error.message : String(error);
  return text.trim();
}

/** Returns a handler for `catch` that returns undefined for responses of the engine with these statuses, and rethrows any other error. */
export function ignoreStatus(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    if (!statuses.includes(engineStatus(error) ?? 0)) throw error;
    return undefined;
  };
}

/** Returns whether an error means that the engine is unavailable, so that the same call may work later. */
export function isEngineAway(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  return AWAY.has(String(code)) || name === 'TimeoutError' || message === 'socket hang up';
}

/**
 * Translates an error of a call to the engine into `unavailable` when the engine can't be reached or denies access. Returns any other error
 * unchanged.
 */
export function translateEngineError(error: unknown, address: string): unknown {
  if (BerthError.is(error)) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'EACCES' || code === 'EPERM') {
    return createError(
      'unavailable',
      `This server has no permission to use the Docker engine at ${address}: run it as root, or add its user to the group docker.`,
      { cause: error },
    );
  }
  if (!isEngineAway(error)) return error;
  return createError(
    'unavailable',
    `No Docker engine responds at ${address}. Start it (systemctl start docker), or set its address in DOCKER_HOST.`,
    { cause: error },
  );
}
