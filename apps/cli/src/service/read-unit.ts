import path from 'node:path';
import { UNIT_HEAD } from './render-unit.ts';

/** Returns the user and the data folder of a unit; undefined for a unit that `berth service install` did not write. */
export function readUnit(text: string): { readonly user: string; readonly dataFolder: string } | undefined {
  const user = /^User=(.+)$/m.exec(text)?.[1];
  const dataFolder = /^WorkingDirectory=(.+)$/m.exec(text)?.[1]?.replaceAll('%%', '%');
  if (!text.startsWith(UNIT_HEAD) || user === undefined || dataFolder === undefined) return undefined;
  return path.isAbsolute(dataFolder) ? { user, dataFolder } : undefined;
}
