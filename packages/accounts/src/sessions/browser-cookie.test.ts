import { expect, test } from 'vitest';
import { createBrowserCookie } from './browser-cookie.ts';

const cookie = createBrowserCookie('https://berth.test', 'berth_session');
const SENT = { host: 'berth.test', cookie: '__Host-session=secret; session=secret' };

/** A handshake that a browser sends for a page of `origin`. */
const handshake = (origin?: string) => new Headers({ ...SENT, upgrade: 'websocket', ...(origin && { origin }) });

// Fails when a page of a service or of another site could open a terminal with the session of the person who visits it.
test('a WebSocket is accepted from pages of the platform alone', () => {
  expect(cookie.isWanted(handshake('https://berth.test'))).toBe(true);
  for (const origin of [
    undefined,
    'https://shop.berth.test',
    'https://evil.test',
    'http://berth.test.evil.test',
    'null',
  ]) {
    expect([origin, cookie.isWanted(handshake(origin))]).toEqual([origin, false]);
  }
});

test('any other request needs the header that forms and links have not', () => {
  const origin = { origin: 'https://berth.test' };
  expect(cookie.isWanted(new Headers({ ...SENT, ...origin }))).toBe(false);
  expect(cookie.isWanted(new Headers({ ...SENT, ...origin, 'x-berth-browser': '1' }))).toBe(true);
});
