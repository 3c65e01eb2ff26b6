import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { LogScope } from '../entry/log-entry.ts';
import type { LogPlace } from '../ports/segment.ts';

/** Lower case only: on a case-insensitive file system two names must not share a folder. */
const PLAIN_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/;

/** Returns the folder names of a scope, free of separators and dots, and different for every scope. */
export function placeOf(scope: LogScope): LogPlace {
  return { account: folderName(scope.account), deployment: folderName(scope.deployment) };
}

/** Returns the folder of a scope, relative to the store's folder. */
export function scopeFolder(scope: LogScope): string {
  const { account, deployment } = placeOf(scope);
  return join(account, deployment);
}

/** Returns `text` if it is a safe file name, else `~` and its SHA-256. No safe name starts with `~`. */
function folderName(text: string): string {
  return PLAIN_NAME.test(text) ? text : `~${createHash('sha256').update(text).digest('hex')}`;
}
