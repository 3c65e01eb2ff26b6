import path from 'node:path';
import { UNIT_HEAD } from './render-unit.ts';

/** The options of the installed unit. */
export interface InstalledService {
  readonly user: string;
  readonly dataFolder: string;
  /** See `UnitOptions`. */
  readonly groups: readonly string[];
}

/** Reads a unit; undefined for one that `berth service install` did not write. */
export function readUnit(text: string): InstalledService | undefined {
  const user = /^User=(.+)$/m.exec(text)?.[1];
  const dataFolder = /^WorkingDirectory=(.+)$/m.exec(text)?.[1]?.replaceAll('%%', '%');
  const groups = /^SupplementaryGroups=(.+)$/m.exec(text)?.[1]?.split(' ') ?? [];
  if (!text.startsWith(UNIT_HEAD) || user === undefined || dataFolder === undefined) return undefined;
  return path.isAbsolute(dataFolder) ? { user, dataFolder, groups } : undefined;
}
