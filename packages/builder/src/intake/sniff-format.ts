const MAGIC: readonly (readonly [name: string, offset: number, bytes: readonly number[]])[] = [
  ['a zip file', 0, [0x50, 0x4b, 0x03, 0x04]],
  ['a bzip2 file', 0, [0x42, 0x5a, 0x68]],
  ['an xz file', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['a zstd file', 0, [0x28, 0xb5, 0x2f, 0xfd]],
  ['a 7z file', 0, [0x37, 0x7a, 0xbc, 0xaf]],
  ['a tar that is not compressed', 257, [0x75, 0x73, 0x74, 0x61, 0x72]],
];

/**
 * Detects the format of a file that isn't gzip from its first 512 bytes; returns undefined for gzip and unknown
 * formats.
 */
export function sniffFormat(head: Uint8Array): string | undefined {
  return MAGIC.find(([, offset, bytes]) => bytes.every((byte, index) => head[offset + index] === byte))?.[0];
}
