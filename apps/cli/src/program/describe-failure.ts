import { isConnectionError } from '@berth/client';
import { BerthError } from '@berth/kit';
import type { Target } from '../config/resolve-target.ts';
import { UsageError } from '../errors/usage-error.ts';
import { cleanText } from '../output/clean-text.ts';
import type { Failure } from '../output/output.ts';

/** Describes a thrown error and what to do about it. `target` is the server that was called, if any. */
export function describeFailure(error: unknown, target: Target | undefined): Failure {
  if (error instanceof UsageError) return { code: 'usage', message: cleanText(error.message) };
  if (BerthError.is(error)) {
    const { cause: _, ...details } = error.details;
    return { code: error.code, message: cleanText(error.message), hints: hintsFor(error, target), details };
  }
  const system = error as NodeJS.ErrnoException;
  if (error instanceof Error && typeof system.code === 'string' && typeof system.syscall === 'string') {
    return { code: 'system', message: cleanText(`${error.message}.`) };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message: cleanText(`This is a fault of the berth command itself.\n${stack}`) };
}

function hintsFor(error: BerthError, target: Target | undefined): string[] {
  if (!target) return [];
  if (isConnectionError(error) && error.details['network'] !== 'lost') {
    // The failed connection was to another server than the platform.
    if (error.details['address'] !== target.baseUrl) return [];
    return target.urlFrom === 'the default'
      ? ['Start a server with `npm start` in the Berth repo, or give its URL with --url or BERTH_URL.']
      : [`The URL came from ${target.urlFrom}.`];
  }
  if (error.code === 'unauthenticated') {
    // An agent has refused the token that it was given, not the platform the key.
    if (error.details['agent'] !== undefined) return [];
    if (target.credentialFrom) {
      return [`The key came from ${target.credentialFrom}. Sign in again with \`berth login\`.`];
    }
    return target.urlFrom === 'the default'
      ? [
          'Start a server with `npm start` in the Berth repo: its key is then found here. Or sign in with `berth login`.',
        ]
      : ['Sign in with `berth login`, or set BERTH_API_KEY.'];
  }
  const requestId = error.details['requestId'];
  return error.code === 'internal' && typeof requestId === 'string'
    ? [`Request ${requestId} of ${target.baseUrl}`]
    : [];
}
