import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Settings of each job's profile. They avoid attempts to fetch links; the sandbox is what prevents fetching, since
 * LibreOffice 7.4 follows some links in presentations and spreadsheets despite these settings.
 */
const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  // Both values mean "never"; each component has its own numbering.
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '1'],
];

/**
 * Writes a LibreOffice profile into an empty folder.
 * @param buildId of the LibreOffice that uses the profile: with it, LibreOffice takes the profile for a known one and
 * doesn't start twice.
 */
export async function writeProfile(folder: string, buildId?: string): Promise<void> {
  const items = SETTINGS.map(
    ([where, name, value]) =>
      `<item oor:path="${where}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  await mkdir(path.join(folder, 'user/extensions'), { recursive: true });
  if (buildId !== undefined) await writeFile(path.join(folder, 'user/extensions/buildid'), buildId);
  await writeFile(
    path.join(folder, 'user/registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('')}</oor:items>\n`,
  );
}
