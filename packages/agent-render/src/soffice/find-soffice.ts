import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Where distributions and LibreOffice's own packages put it. */
const USUAL = ['/usr/lib/libreoffice/program', '/usr/lib64/libreoffice/program', '/opt/libreoffice/program'];
const PROGRAM = 'soffice.bin';

/**
 * The folder of LibreOffice's programs: of the `soffice` on the path, or where it usually is. Undefined where it is not.
 * @param searchPath `PATH` of the environment.
 */
export function findSoffice(searchPath = ''): string | undefined {
  const launchers = searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => ['soffice', 'libreoffice'].map((name) => path.join(folder, name)));
  const folders = launchers.filter((file) => existsSync(file)).map((file) => path.dirname(realpathSync(file)));
  return [...folders, ...USUAL].find((folder) => existsSync(path.join(folder, PROGRAM)));
}
