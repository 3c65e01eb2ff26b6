import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LogScope } from '../entry/log-entry.ts';
import type { LogPlace } from '../ports/segment.ts';

/** Lower case only: on a file system that ignores case two names must not meet in one folder. */
const PLAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/** The names of a scope's folders: each free of separators and dots, different for every scope. */
export function placeOf(scope: LogScope): LogPlace {
  return { account: folderName(scope.account), deployment: folderName(scope.deployment) };
}

/** The folder of a scope, relative to the store's: two parts, each free of separators and dots, different for every scope. */
export function scopeFolder(scope: LogScope): string {
  const { account, deployment } = placeOf(scope);
  return join(account, deployment);
}

/** `text` itself where it is a harmless file name, else `~` and its SHA-256: `~` starts no plain name. */
function folderName(text: string): string {
  return PLAIN_NAME.test(text) ? text : `~${createHash('sha256').update(text).digest('hex')}`;
}
