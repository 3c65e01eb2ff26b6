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
    return { code: 'system', message: cleanText(describeSystemError(system)) };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: 'internal',
    message: cleanText(`This is a bug in the berth command. Report it with these lines:\n${stack}`),
  };
}

/** Meanings of the operating system's error codes, said of the path at fault. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: "can't be accessed: permission denied",
  EPERM: "can't be accessed: permission denied",
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is not in a folder',
  ENOSPC: "can't be written: the disk is full",
};

function describeSystemError({ code = '', path, message }: NodeJS.ErrnoException): string {
  const meaning = SYSTEM_ERRORS[code];
  return path !== undefined && meaning !== undefined ? `${path} ${meaning}.` : `${message}.`;
}

function hintsFor(error: BerthError, target: Target | undefined): string[] {
  if (!target) return [];
  if (isConnectionError(error) && error.details['network'] !== 'lost') {
    // The failed connection was to another server than the platform.
    if (error.details['address'] !== target.baseUrl) return [];
    return target.urlFrom === 'the default'
      ? ['Start a server with `berth start`, or give its URL with --url or BERTH_URL.']
      : [`The URL came from ${target.urlFrom}. Check that it is right and that the server is running.`];
  }
  if (error.code === 'unauthenticated') {
    // An agent has refused the token that it was given, not the platform the key.
    if (error.details['agent'] !== undefined) return [];
    if (target.credentialFrom) {
      return [`The key came from ${target.credentialFrom}. Sign in again with \`berth login\`.`];
    }
    return target.urlFrom === 'the default'
      ? ['Start a server with `berth start`: its key is then found here. Or sign in with `berth login`.']
      : ['Sign in with `berth login`, or set BERTH_API_KEY.'];
  }
  const requestId = error.details['requestId'];
  return error.code === 'internal' && typeof requestId === 'string'
    ? [`Search the log of ${target.baseUrl} for request ${requestId}.`]
    : [];
}
