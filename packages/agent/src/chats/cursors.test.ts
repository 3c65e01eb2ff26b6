import { BerthError } from '@berth/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMessageCursor, parseMessageCursor } from './read-chat.ts';
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
    fc.property(fc.nat(), fc.nat(), (generation, seq) => {
      expect(parseMessageCursor(formatMessageCursor({ generation, seq }))).toEqual({ generation, seq });
    }),
  );
});

test('anything else is refused by name', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      for (const parse of [parseListCursor, parseMessageCursor]) {
        try {
          parse(text);
        } catch (error) {
          expect(BerthError.is(error) && error.status).toBe(422);
        }
      }
    }),
  );
  expect(() => parseMessageCursor('1')).toThrow(/next/);
  expect(() => parseListCursor('!')).toThrow(/cursor/);
});
