import { createValidationError } from '@berth/contract';

/** A position in the list of chats: after the one with this time and id. */
export interface ListPlace {
  readonly updatedAtMs: number;
  readonly id: string;
}

/** Encodes a position for a URL. It holds nothing that the list doesn't show. */
export function formatListCursor({ updatedAtMs, id }: ListPlace): string {
  return Buffer.from(`${updatedAtMs}:${id}`).toString('base64url');
}

/** Parses a cursor of {@link formatListCursor}. @throws `invalid` for any other text. */
export function parseListCursor(text: string): ListPlace {
  const match = /^(\d{1,16}):([A-Za-z0-9_-]{1,64})$/.exec(Buffer.from(text, 'base64url').toString());
  if (match?.[2] !== undefined) return { updatedAtMs: Number(match[1]), id: match[2] };
  throw createValidationError([
    { loc: ['query', 'cursor'], msg: 'not a cursor that a list of chats gave', type: 'invalid_cursor' },
  ]);
}
