import { buffer } from 'node:stream/consumers';
import { type EntryHeader, writeSealedArchive } from '@berth/builder/sealed-archive';

/** An entry of a made-up archive, with its content as text. */
export type MadeEntry = EntryHeader & { readonly content?: string };

/** Writes a sealed archive of these entries, in this order. */
export async function makeArchive(entries: readonly MadeEntry[]): Promise<Buffer> {
  const { stream, done } = writeSealedArchive(async (add) => {
    for (const { content = '', ...header } of entries) {
      const bytes = Buffer.from(content);
      await add({ mtime: new Date('2026-01-01T00:00:00Z'), ...header, size: bytes.length }, [bytes]);
    }
  });
  const [bytes] = await Promise.all([buffer(stream), done]);
  return bytes;
}

/** Writes a backup as `berth admin backup` gets it. @param manifest what differs from the manifest of a current one */
export function makeBackup(entries: readonly MadeEntry[], manifest: object = {}): Promise<Buffer> {
  const content = JSON.stringify({
    ...{ format: 2, version: '1.0.0', created_at: '2026-01-01T00:00:00Z', has_volumes: true },
    ...manifest,
  });
  return makeArchive([{ name: 'berth-backup.json', content }, ...entries]);
}
