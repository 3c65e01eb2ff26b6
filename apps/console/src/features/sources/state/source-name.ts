import { toName } from '@berth/client/pack';
import type { CollectedEntry } from './collect-source.ts';

/**
 * Returns a deployment name derived from the source's package.json, otherwise from the folder or archive; may be empty.
 */
export async function nameOfSource(sourceName: string, entries: readonly CollectedEntry[]): Promise<string> {
  const manifest = entries.find((entry) => entry.path === 'package.json');
  const fromManifest = manifest?.kind === 'file' ? readName(await manifest.blob.text()) : '';
  return toName(fromManifest) || toName(sourceName.replace(/\.(tar\.gz|tgz)$/i, ''));
}

function readName(json: string): string {
  try {
    const { name } = JSON.parse(json) as { name?: unknown };
    return typeof name === 'string' ? name.replace(/^@[^/]*\//, '') : '';
  } catch {
    // The file is not valid JSON; the build will report it.
    return '';
  }
}
