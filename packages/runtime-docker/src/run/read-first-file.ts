const BLOCK = 512;

/**
 * The content of the first entry of a tar archive; empty when that is no file but a link. An engine answers one file so.
 * Source: pax(1), ustar: the size is an octal number at 124, the type a character at 156.
 */
export function readFirstFile(archive: Buffer): string {
  const size = Number.parseInt(archive.toString('latin1', 124, 136), 8);
  const isFile = archive[156] === 0 || archive[156] === '0'.charCodeAt(0);
  return isFile && size > 0 ? archive.toString('utf8', BLOCK, BLOCK + size) : '';
}
