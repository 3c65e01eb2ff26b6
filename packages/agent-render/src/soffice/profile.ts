import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Settings of the profile that each job has for itself. That nothing is fetched is the sandbox's to hold: LibreOffice 7.4
 * follows some links of presentations and spreadsheets also with these. They spare it the attempts.
 */
const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  // Never: the numbers are each component's own.
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '1'],
];

/**
 * Makes a profile of LibreOffice in an empty folder.
 * @param buildId of the LibreOffice that uses it: it then believes that it was here before, and does not start twice.
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
