import { createError } from '@berth/contract/errors';
import { packTar } from 'modern-tar';
import { MCP_LIMITS } from '../tool/limits.ts';
import { decodeContent } from './content.ts';

/** A file of a project in a tool call. */
export interface ProjectFile {
  readonly path: string;
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
}

/** The date of every file, equal to that of `berth deploy`: the same files give the same archive. */
const MODIFIED_AT = new Date('1985-10-26T08:15:00Z');

/**
 * Packs the files of a tool call.
 * @throws `invalid` for a path that is not relative, a path given twice, and files that are too large together
 */
export async function packFiles(
  files: readonly ProjectFile[],
): Promise<{ readonly archive: Blob; readonly berthJson: string | undefined }> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  let sizeBytes = 0;
  for (const file of files) {
    const path = checkPath(file.path);
    if (contents.has(path)) throw createError('invalid', `${path} is given twice.`);
    const bytes = decodeContent(file, path);
    sizeBytes += bytes.length;
    if (sizeBytes > MCP_LIMITS.filesBytes) throw tooLarge();
    contents.set(path, bytes);
  }
  const entries = [...contents].map(([name, body]) => ({
    header: { name, type: 'file' as const, size: body.length, mode: modeOf(body), mtime: MODIFIED_AT, uid: 0, gid: 0 },
    body,
  }));
  const tar = new Blob([await packTar(entries)]);
  const gzip = tar.stream().pipeThrough(new CompressionStream('gzip'));
  const berthJson = contents.get('berth.json');
  return {
    archive: await new Response(gzip as ReadableStream).blob(),
    berthJson: berthJson && new TextDecoder().decode(berthJson),
  };
}

/** @throws `invalid`; the platform checks the entries of every archive again. */
function checkPath(path: string): string {
  const parts = path.split('/');
  const isRelative = !parts.some((part) => part === '' || part === '.' || part === '..') && !/[\0\\]/.test(path);
  if (isRelative && Buffer.byteLength(path) <= 1_024) return path;
  throw createError('invalid', `"${path.slice(0, 200)}" is not a relative path such as src/server.js.`);
}

/** Scripts with a `#!` line are executable. */
function modeOf(bytes: Uint8Array): number {
  return bytes[0] === 0x23 && bytes[1] === 0x21 ? 0o755 : 0o644;
}

function tooLarge(): Error {
  const most = MCP_LIMITS.filesBytes / 2 ** 20;
  return createError(
    'invalid',
    `The files have more than ${most} MiB together. Leave out dependencies and data, or ask the person to run \`berth deploy\`.`,
  );
}
