import { randomInt } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { INSIDE, probeSandbox, runSandboxed } from '@berth/agent-core';
import { officeFilters } from '../renderer/office-format.ts';
import { type NoRenderer, RenderError, type Renderer, refuseDocument } from '../renderer/renderer.ts';

/** System folders that LibreOffice reads, besides its own. */
const READABLE = ['/etc/fonts', '/etc/libreoffice', '/var/cache/fontconfig'];
/** Memory limit. A plain document takes 600 MiB; one that exceeds the limit is a bomb or a very large picture book. */
const MEMORY_MIB = 2_048;
const CPU_SECONDS = 60;
/** Exit code of a start with a new profile, which asks for a second start. Source: LibreOffice's soffice.sh. */
const AGAIN = 81;
/**
 * User ids that no account has: systemd's range for dynamic users of services. As root, the agent opens each document
 * under one of them. Source: systemd's uid ranges.
 */
const FIRST_USER = 61_184;
const LAST_USER = 65_519;

/**
 * Opens a renderer that runs LibreOffice in a sandbox without network, which sees the document and no other files of
 * users. Without a sandbox there is no renderer: a document may reference files of this machine, and LibreOffice would
 * include them.
 * @param searchPath `PATH` of the environment.
 */
export async function openSoffice(searchPath?: string): Promise<Renderer | NoRenderer> {
  const program = findSoffice(searchPath);
  if (program === undefined) {
    return { problem: 'LibreOffice is not installed (apt install libreoffice-nogui), and no render service is set up' };
  }
  const found = await probeSandbox(newUserId());
  if ('problem' in found)
    return { problem: `LibreOffice is only run in a sandbox (apt install bubblewrap), and ${found.problem}` };
  const { hasProc } = found;
  const binary = path.join(program, 'soffice.bin');
  const { size, mtimeMs } = await stat(binary);
  const versions = await readFile(path.join(program, 'versionrc'), 'utf8').catch(() => '');
  const buildId = /^buildid=(.*)$/m.exec(versions)?.[1];
  return {
    version: `soffice ${size} ${mtimeMs}`,
    // Nothing to close: each job's processes end with the job.
    close() {},
    async toPdf({ folder, document, format, signal }) {
      await writeProfile(path.join(folder, 'profile'), buildId);
      const userId = newUserId();
      if (userId !== undefined) await giveTo(userId, folder);
      const { read, write } = officeFilters(format);
      const words = [
        binary,
        '--headless',
        '--norestore',
        '--nologo',
        `-env:UserInstallation=file://${INSIDE}/profile`,
        `--infilter=${read}`,
        '--convert-to',
        `pdf:${write}`,
        '--outdir',
        INSIDE,
        `${INSIDE}/${document}`,
      ]
        .map(quote)
        .join(' ');
      const { exitCode, output } = await runSandboxed({
        // Without /proc the loader doesn't find LibreOffice's libraries by itself.
        command: `export LD_LIBRARY_PATH=${quote(program)}; ${words}; code=$?; [ $code = ${AGAIN} ] || exit $code; exec ${words}`,
        folder,
        hasProc,
        userId,
        signal,
        readable: [...READABLE, path.dirname(program)],
        memoryMib: MEMORY_MIB,
        cpuSeconds: CPU_SECONDS,
      });
      if (/could not be loaded/.test(output)) {
        refuseDocument("LibreOffice can't open the file: it is damaged or password-protected.");
      }
      if (exitCode !== 0) {
        throw new RenderError(`LibreOffice failed (exit code ${exitCode}): the file may be too large or damaged.`, {
          isLasting: true,
        });
      }
    },
  };
}

/** Returns a random unused user id; undefined when the agent isn't root and can't switch users. */
function newUserId(): number | undefined {
  return process.getuid?.() === 0 ? randomInt(FIRST_USER, LAST_USER + 1) : undefined;
}

async function giveTo(userId: number, folder: string): Promise<void> {
  await chown(folder, userId, userId);
  for (const entry of await readdir(folder, { recursive: true })) await chown(path.join(folder, entry), userId, userId);
}

/** Quotes a word for the shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

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
async function writeProfile(folder: string, buildId?: string): Promise<void> {
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
