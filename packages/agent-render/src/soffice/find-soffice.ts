import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Folders in which distributions and LibreOffice's packages install it. */
const USUAL = ['/usr/lib/libreoffice/program', '/usr/lib64/libreoffice/program', '/opt/libreoffice/program'];
const PROGRAM = 'soffice.bin';

/**
 * Returns the folder of LibreOffice's programs: that of the `soffice` on the path, or a usual one. Undefined when it
 * isn't installed.
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
