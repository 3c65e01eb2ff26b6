import type { ToolFiles, TurnMessage } from '@berth/agent-core';
import type { UserContent } from '../models/model.ts';
import { decodeText } from '../tools/files/workspace-text.ts';

/** Limits of one attachment, and of all in a conversation. Upstreams accept 5 MB per picture and 32 MB in total. */
const MAX_FILE_BYTES = 5_000_000;
const MAX_TOTAL_BYTES = 16_000_000;
/** Longest text that is included; a tool can read a longer one in parts. */
const MAX_TEXT_BYTES = 60_000;

const SIGNATURES: readonly (readonly [mediaType: string, test: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => bytes.subarray(0, 4).toString('latin1') === 'GIF8'],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP/s.test(bytes.subarray(0, 12).toString('latin1'))],
  ['application/pdf', (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-'],
];

/**
 * Returns a function that reads the content of a person's message with its attachments, within a size limit over all messages. An
 * attachment that can't be included becomes a note.
 */
export function createAttachmentReader(files: ToolFiles | undefined) {
  let room = MAX_TOTAL_BYTES;

  const readFile = async (path: string): Promise<UserContent> => {
    const say = (what: string): UserContent => ({ type: 'text', text: `[Attached: ${path} (${what})]` });
    if (!files) return say('it can not be read');
    const file = await files.read(path, MAX_FILE_BYTES).catch(() => undefined);
    if (!file) return say('it is not there');
    const { bytes, sizeBytes } = file;
    const mediaType = SIGNATURES.find(([, test]) => test(bytes))?.[0];
    if (sizeBytes > room) return say(`${sizeBytes} bytes`);
    const text = mediaType === undefined && sizeBytes <= MAX_TEXT_BYTES ? decodeText(bytes) : undefined;
    if (text !== undefined) {
      room -= sizeBytes;
      return { type: 'text', text: `<file path=${JSON.stringify(path)}>\n${text}\n</file>` };
    }
    if (mediaType === undefined || sizeBytes > MAX_FILE_BYTES) return say(`${sizeBytes} bytes`);
    room -= sizeBytes;
    const type = mediaType.startsWith('image/') ? 'image' : 'file';
    return { type, name: path.split('/').at(-1) ?? path, mediaType, data: bytes.toString('base64') };
  };

  return async ({ content, attachments = [] }: TurnMessage): Promise<readonly UserContent[]> => {
    const parts: UserContent[] = [];
    const seen = new Set<string>();
    const attach = async (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      parts.push(await readFile(path));
    };
    for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content) {
      if (part.type === 'text') parts.push(part);
      else await attach(part.type === 'image' ? part.image : part.file);
    }
    for (const { path } of attachments) await attach(path);
    return parts;
  };
}
