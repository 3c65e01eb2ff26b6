import { randomInt } from 'node:crypto';
import { chown, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { INSIDE, probeSandbox, runSandboxed } from '@berth/agent-core';
import { officeFilters } from '../renderer/office-format.ts';
import { type NoRenderer, RenderError, type Renderer, refuseDocument } from '../renderer/renderer.ts';
import { findSoffice } from './find-soffice.ts';
import { writeProfile } from './profile.ts';

/** What it reads of the system besides its programs. */
const READABLE = ['/etc/fonts', '/etc/libreoffice', '/var/cache/fontconfig'];
/** It takes 600 for a plain document; one that needs more is a bomb or a picture book. */
const MEMORY_MIB = 2_048;
const CPU_SECONDS = 60;
/** A start with a profile that it does not know ends with this, and wants a second. Source: its soffice.sh. */
const AGAIN = 81;
/**
 * User ids that nothing else has: those that systemd gives to services for as long as they run. Documents are opened as one
 * of them where the agent is root. Source: systemd's uid ranges.
 */
const FIRST_USER = 61_184;
const LAST_USER = 65_519;

/**
 * LibreOffice on this machine, in a sandbox without network that sees the document and nothing else of anybody's. Without
 * such a sandbox there is no renderer: a document may name files of this machine, and LibreOffice would put them in.
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
    // What it started ended with its jobs.
    close() {},
    async toPdf({ folder, document, format, signal }) {
      await writeProfile(path.join(folder, 'profile'), buildId);
      const userId = newUserId();
      if (userId !== undefined) await giveTo(userId, folder);
      const { read, write } = officeFilters(format);
      const words = [
        ...[binary, '--headless', '--norestore', '--nologo', `-env:UserInstallation=file://${INSIDE}/profile`],
        ...[`--infilter=${read}`, '--convert-to', `pdf:${write}`, '--outdir', INSIDE, `${INSIDE}/${document}`],
      ]
        .map(quote)
        .join(' ');
      const { exitCode, output } = await runSandboxed({
        // Where there is no /proc the loader does not find its libraries by itself.
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
        refuseDocument('LibreOffice can not open it: it is damaged, or protected by a password.');
      }
      if (exitCode !== 0) {
        throw new RenderError(`LibreOffice gave up on it (exit code ${exitCode}): it may be too large or damaged.`, {
          isLasting: true,
        });
      }
    },
  };
}

/** Undefined where the agent is not root: then it has no other. */
function newUserId(): number | undefined {
  return process.getuid?.() === 0 ? randomInt(FIRST_USER, LAST_USER + 1) : undefined;
}

async function giveTo(userId: number, folder: string): Promise<void> {
  await chown(folder, userId, userId);
  for (const entry of await readdir(folder, { recursive: true })) await chown(path.join(folder, entry), userId, userId);
}

/** As one word of a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
