import { expect, test } from 'vitest';
import { startMailServer } from '../testing/start-mail-server.ts';
import { composeMail } from '../texts/compose-mail.ts';
import { createSmtpTransport } from './create-smtp-transport.ts';
import { parseSmtpUrl } from './parse-smtp-url.ts';

const FROM = 'Berth <berth@example.com>';
const mailTo = (to: string) => ({ id: 'eml_1', to, createdAtMs: 0, ...composeMail({ kind: 'test' }, 'en') });

/** A name of this machine that doesn't look like one, so that TLS is required. */
const REMOTE = '127.1';

test('a mail goes over TLS with a password, as text and HTML, and each attempt has the same Message-ID', async () => {
  await using server = await startMailServer();
  const { url, ca } = server;
  const transport = createSmtpTransport({ url, from: FROM, isPlaintextAllowed: false, ca });
  await transport.send(mailTo('ada@example.com'));
  await transport.send(mailTo('ada@example.com'));
  const [first, second] = server.mails;
  expect(first).toMatchObject({
    ...{ from: 'berth@example.com', to: ['ada@example.com'], isEncrypted: true },
    ...{ subject: 'Test message from Berth', text: expect.stringContaining('This server can send e-mail.') },
    html: expect.stringContaining('<p>This server can send e-mail.</p>'),
  });
  for (const mail of [first, second]) expect(mail?.headers).toContain('Message-ID: <eml_1@example.com>');
  expect(first?.headers).toContain('Auto-Submitted: auto-generated');
});

// Fails when the password or the mail can be read by anyone between the servers.
test('without TLS, or with a certificate that nobody signed, nothing is sent unless plain text is allowed', async () => {
  await using plain = await startMailServer({ host: REMOTE, hasTls: false });
  const options = { url: plain.url, from: FROM };
  const strict = createSmtpTransport({ ...options, isPlaintextAllowed: false });
  await expect(strict.send(mailTo('ada@example.com'))).rejects.toMatchObject({ isFinal: false });
  await using unsigned = await startMailServer({ host: REMOTE });
  const unverified = createSmtpTransport({ url: unsigned.url, from: FROM, isPlaintextAllowed: false });
  await expect(unverified.send(mailTo('ada@example.com'))).rejects.toMatchObject({ isFinal: false });
  expect([plain.mails, unsigned.mails]).toEqual([[], []]);
  await createSmtpTransport({ ...options, isPlaintextAllowed: true }).send(mailTo('ada@example.com'));
  expect(plain.mails).toMatchObject([{ isEncrypted: false }]);
});

test('a refused recipient is final, a server that is busy or a wrong password is not', async () => {
  await using server = await startMailServer();
  const options = { from: FROM, isPlaintextAllowed: false, ca: server.ca };
  const transport = createSmtpTransport({ ...options, url: server.url });
  server.refuse({ code: 550, message: 'No such user' });
  await expect(transport.send(mailTo('a@b.example'))).rejects.toMatchObject({
    isFinal: true,
    message: expect.stringContaining('No such user'),
  });
  server.refuse({ code: 451, message: 'Later' });
  await expect(transport.send(mailTo('a@b.example'))).rejects.toMatchObject({ isFinal: false });
  const wrong = createSmtpTransport({ ...options, url: server.url.replace('p%40ss', 'wrong') });
  const refused = wrong.send(mailTo('a@b.example'));
  await expect(refused).rejects.toMatchObject({ isFinal: false, message: expect.not.stringContaining('wrong') });
});

// Fails when a name in the letter ends its header line: whoever chooses the name would add recipients.
test('names can’t add headers, recipients or HTML', async () => {
  await using server = await startMailServer();
  const transport = createSmtpTransport({ url: server.url, from: FROM, isPlaintextAllowed: false, ca: server.ca });
  const account = 'Acme\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u202e';
  const letter = {
    kind: 'invite',
    account,
    inviter: 'A\nB',
    role: 'member',
    link: 'https://x.example/join#t',
  } as const;
  await transport.send({ id: 'eml_2', to: 'ada@example.com', createdAtMs: 0, ...composeMail(letter, 'en') });
  const [mail] = server.mails;
  expect(mail?.to).toEqual(['ada@example.com']);
  expect(mail?.headers.filter((line) => /^(bcc|cc|to):/i.test(line))).toEqual(['To: ada@example.com']);
  expect(mail?.subject).toContain('Acme Bcc: eve@example.com');
  expect([mail?.html.includes('<script>'), mail?.html.includes('&lt;script&gt;')]).toEqual([false, true]);
  expect(mail?.text).not.toContain('\u202e');
});

test.each([
  ['smtps://mail.example.com', { port: 465, isImplicitTls: true, user: undefined }],
  ['smtp://u%40x:p%2F@mail.example.com:2525', { port: 2525, isImplicitTls: false, user: 'u@x', password: 'p/' }],
])('%s is understood', (url, expected) => {
  expect(parseSmtpUrl(url)).toMatchObject({ host: 'mail.example.com', ...expected });
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://user@mail.example.com',
  'smtp://u:se/cret@mail.example.com',
  'smtp://u:%zz@mail.example.com',
  'smtp://mail.example.com?pool=true',
])('%s is refused, without its password in the message', (url) => {
  expect(() => parseSmtpUrl(url)).toThrow(RangeError);
  expect(() => parseSmtpUrl(url)).not.toThrow(/cret|zz/);
});
