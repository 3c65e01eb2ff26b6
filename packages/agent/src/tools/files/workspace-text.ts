import { type ToolContext, ToolError, type ToolFiles } from '@berth/agent-core';

/** Returns the caller's files. @throws ToolError for a caller who did not sign in. */
export function filesOf({ files }: Pick<ToolContext, 'files'>): ToolFiles {
  if (files) return files;
  throw new ToolError('The workspace is not available: no one is signed in.');
}

/** Largest text file that a tool reads whole. */
export const MAX_TEXT_BYTES = 2_000_000;

/** Reads a text file. @throws ToolError when it is missing, too large, or no text. */
export async function readText(files: ToolFiles, path: string): Promise<string> {
  const file = await files.read(path, MAX_TEXT_BYTES);
  if (!file) throw new ToolError(`There is no file ${path}.`);
  if (file.sizeBytes > MAX_TEXT_BYTES) {
    throw new ToolError(`${path} has ${file.sizeBytes} bytes; at most ${MAX_TEXT_BYTES} can be read.`);
  }
  const text = decodeText(file.bytes);
  if (text === undefined) throw new ToolError(`${path} is not text.`);
  return text;
}

/** Undefined for what is no UTF-8, or has bytes that text has not. */
export function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
