import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import { UsageError } from '../errors/usage-error.ts';
import { readUnit } from './read-unit.ts';
import { SERVICE } from './render-unit.ts';

/** Folders of system programs, whatever the caller's PATH is: these commands run as root. */
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Runs a program of the system and returns its output. `undefined` when it isn't installed or fails. */
export function tryProgram(name: string, words: readonly string[]): Promise<string | undefined> {
  const file = FOLDERS.map((folder) => path.join(folder, name)).find(existsSync);
  if (file === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile(file, words, { env: { PATH: FOLDERS.join(':'), LC_ALL: 'C' } }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}

/** Runs a program of the system. @throws BerthError `unavailable` with the command line when it fails */
export async function runProgram(name: string, words: readonly string[]): Promise<string> {
  const output = await tryProgram(name, words);
  if (output !== undefined) return output;
  throw createError('unavailable', `\`${[name, ...words].join(' ')}\` failed. \`journalctl -xe\` may say why.`);
}

/** Checks that this process may manage systemd. @throws UsageError otherwise */
export function requireSystemd(): void {
  if (!existsSync('/run/systemd/system')) {
    throw new UsageError('This machine does not run systemd. Run `berth start` under its service manager instead.');
  }
  if (process.getuid?.() !== 0) throw new UsageError('Only root can manage services. Run this command with sudo.');
}

/** Returns the installed service; undefined when there is none. @throws UsageError when the unit is someone else's */
export function findService() {
  if (!existsSync(SERVICE.unitFile)) return undefined;
  const service = readUnit(readFileSync(SERVICE.unitFile, 'utf8'));
  if (service) return service;
  throw new UsageError(`${SERVICE.unitFile} was not written by \`berth service install\`. Move it away first.`);
}

/** Returns the first folder on the way to `file` that other users can't enter; undefined when all can read it. */
export function closedFolder(file: string): string | undefined {
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return folder;
  }
  return undefined;
}
