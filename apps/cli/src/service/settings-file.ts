import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SERVICE } from './render-unit.ts';

const HEAD = '# Settings of Berth, one NAME=value a line. `berth start --settings` lists them.';

/** Returns the lines of the environment file; only its head when there is none, or when this user may not read it. */
export async function readSettingLines(): Promise<readonly string[]> {
  const text = await readFile(SERVICE.environmentFile, 'utf8').catch(() => HEAD);
  return text.split('\n').filter((line) => line !== '');
}

/** Returns the lines with these settings added, or in place of those of the same names. */
export function mergeSettings(lines: readonly string[], settings: ReadonlyMap<string, string>): readonly string[] {
  const kept = lines.filter((line) => !settings.has(line.split('=')[0] ?? ''));
  return [...kept, ...[...settings].map(([name, value]) => `${name}=${JSON.stringify(value)}`)];
}

/** Returns whether a line names a port that only root, or a program with a capability for it, may listen on. */
export function hasLowPort(lines: readonly string[]): boolean {
  return lines.some((line) => Number(/^BERTH_(?:TLS_)?PORT="?(\d+)"?$/.exec(line)?.[1] ?? 1_024) < 1_024);
}

/** Writes the environment file, which only root can read. */
export async function writeSettingLines(lines: readonly string[]): Promise<void> {
  await mkdir(path.dirname(SERVICE.environmentFile), { recursive: true, mode: 0o755 });
  await replaceFile(SERVICE.environmentFile, `${lines.join('\n')}\n`, 0o600);
}

/** Replaces a file, or makes it. Readers see the former content or the new one. */
export async function replaceFile(file: string, content: string, mode: number): Promise<void> {
  await writeFile(`${file}.new`, content, { mode, flush: true });
  await chmod(`${file}.new`, mode);
  await rename(`${file}.new`, file);
}
