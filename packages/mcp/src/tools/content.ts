import { createError } from '@berth/contract/errors';
import { z } from 'zod';

/** The input fields that hold the content of a file: exactly one of them. */
export const contentFields = {
  text: z.string().optional().describe('Content of a text file'),
  base64: z.base64().optional().describe('Content of a binary file, in place of text'),
};

/** Returns the bytes of a file. @throws `invalid` when `text` and `base64` are both given or both absent */
export function decodeContent(
  { text, base64 }: { readonly text?: string | undefined; readonly base64?: string | undefined },
  path: string,
): Uint8Array<ArrayBuffer> {
  if ((text === undefined) === (base64 === undefined)) {
    throw createError('invalid', `${path} needs either text or base64.`);
  }
  return text === undefined ? new Uint8Array(Buffer.from(base64 ?? '', 'base64')) : new TextEncoder().encode(text);
}
