import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createHostCookie } from './host-cookie.ts';

const headersWith = (cookie: string) => new Headers({ cookie });

/** The `Set-Cookie` header of what `act` does to a response. */
async function setCookieOf(isSecure: boolean, act: 'set' | 'session' | 'clear'): Promise<string> {
  const cookie = createHostCookie({ label: 'berth_session', isSecure, sameSite: 'Lax' });
  const app = new Hono();
  app.get('/', (c) => {
    if (act === 'clear') cookie.clear(c);
    else cookie.set(c, 'a b;c', act === 'set' ? 60 : undefined);
    return c.text('');
  });
  return (await app.request('/')).headers.get('set-cookie') ?? '';
}

// Fails when one attribute is lost: a script, another site or a sibling host could then use the session.
test('over https the cookie is for this host, for no script, and for no plain request', async () => {
  const header = await setCookieOf(true, 'set');
  expect(header).toMatch(/^__Host-berth_session=a%20b%3Bc; /);
  for (const attribute of ['Max-Age=60', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax']) {
    expect(header.split('; ')).toContain(attribute);
  }
  expect(header).not.toMatch(/domain/i);
  expect(await setCookieOf(true, 'session')).not.toMatch(/max-age|expires/i);
});

test('on plain localhost it has neither the prefix nor Secure, which browsers would refuse', async () => {
  const header = await setCookieOf(false, 'set');
  expect(header).toMatch(/^berth_session=/);
  expect(header).not.toMatch(/secure/i);
  expect(header).toContain('HttpOnly');
});

// Fails when the cookie is cleared under another name or path: people would stay signed in.
test('it is cleared under the name and path that it was set with', async () => {
  const header = await setCookieOf(true, 'clear');
  expect(header).toMatch(/^__Host-berth_session=; /);
  expect(header.split('; ')).toEqual(expect.arrayContaining(['Max-Age=0', 'Path=/', 'Secure']));
});

// Fails when the name without the prefix is read too: every sibling host can set that one.
test('over https only the name with the prefix is read', () => {
  const { read } = createHostCookie({ label: 'berth_session', isSecure: true, sameSite: 'Lax' });
  expect(read(headersWith('berth_session=forged'))).toBeUndefined();
  expect(read(headersWith('berth_session=forged; __Host-berth_session=own'))).toBe('own');
  expect(read(headersWith('x__Host-berth_session=forged'))).toBeUndefined();
  expect(read(new Headers())).toBeUndefined();
  expect(read(headersWith('__Host-berth_session=a%20b%3Bc'))).toBe('a b;c');
});
