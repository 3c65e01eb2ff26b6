import { BerthError } from '@berth/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMessageCursor, toMessagePlace } from './read-chat.ts';
import { formatListCursor, parseListCursor } from './routes/list-chats.ts';

test('a place of the list comes back as it was', () => {
  fc.assert(
    fc.property(fc.nat(), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), (updatedAtMs, id) => {
      expect(parseListCursor(formatListCursor({ updatedAtMs, id }))).toEqual({ updatedAtMs, id });
    }),
  );
});

test('a place of the messages comes back as it was', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat({ max: 999_999_999 }), (generation, seq) => {
      const cursor = formatMessageCursor({ generation, seq });
      expect(Number.isSafeInteger(cursor)).toBe(true);
      expect(toMessagePlace(cursor)).toEqual({ generation, seq });
    }),
  );
});

test('anything else is refused by name', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      try {
        parseListCursor(text);
      } catch (error) {
        expect(BerthError.is(error) && error.status).toBe(422);
      }
    }),
  );
  expect(() => parseListCursor('!')).toThrow(/cursor/);
});
