import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileKind, findPlace, openFile, ROOT, type WorkspacePath } from '@berth/agent-core';
import type { OpenFolder } from '@berth/kit/node';
import { ZipFile } from 'yazl';
import { walkFiles } from './list-files.ts';

/** Kinds of files that are compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'archive']);

/**
 * Streams the files below a folder as a zip, at the reader's pace, with one file open at a time. Leaves out dot entries, links, and
 * files that disappear meanwhile. The folder is opened on the first read and closed with the stream.
 */
export async function* zipFolder(open: () => Promise<OpenFolder | undefined>): AsyncGenerator<Uint8Array> {
  await using folder = await open();
  if (!folder) throw new Error('the folder was deleted before it was read');
  const zip = new ZipFile();
  const failed = new AbortController();
  const output = zip.outputStream as Readable;
  // A disk that can't be read is told to the reader of the zip, if there still is one.
  output.on('error', () => {});
  zip.on('error', (error: Error) => output.destroy(error));
  const adding = addFiles(zip, folder, failed.signal).catch((error: unknown) => {
    if (!failed.signal.aborted) output.destroy(error as Error);
  });
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } finally {
    failed.abort();
    output.destroy();
    await adding;
  }
}

async function addFiles(zip: ZipFile, folder: OpenFolder, signal: AbortSignal): Promise<void> {
  for await (const { entry } of walkFiles(folder, ROOT)) {
    signal.throwIfAborted();
    const mtime = new Date(entry.modified);
    if (entry.type === 'directory') {
      zip.addEmptyDirectory(entry.path, { mtime });
      continue;
    }
    await using place = await findPlace(folder, entry.path as WorkspacePath);
    await using file = place && (await openFile(place, entry.path as WorkspacePath));
    if (!file) continue;
    const bytes = file.read();
    const ended = finished(bytes, { signal });
    zip.addReadStream(bytes, entry.path, { mtime, compress: !COMPRESSED.has(fileKind(entry.name)) });
    try {
      await ended;
    } finally {
      bytes.destroy();
    }
  }
  zip.end();
}
