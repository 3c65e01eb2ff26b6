import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { SMTPServer } from 'smtp-server';

/** A mail as a mail server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** True when it came over TLS. */
  readonly isEncrypted: boolean;
  readonly raw: string;
  /** Header lines, unfolded and decoded. */
  readonly headers: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A real SMTP server on this machine, with STARTTLS, that takes mail from one user. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** With the user and password. */
  readonly url: string;
  /** The root certificate in PEM. */
  readonly ca: string;
  readonly mails: readonly ReceivedMail[];
  /** Sets the answer to recipients; undefined accepts them. */
  refuse(answer: { readonly code: number; readonly message: string } | undefined): void;
  /** Resolves with the first mail that matches, and removes it from `mails`. */
  take(matches: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
}

/** Options of {@link startMailServer}. */
export interface MailServerOptions {
  /** Host name of its URL and certificate; `localhost` by default. */
  readonly host?: string;
  /** False: it offers no TLS and takes passwords in plain text. */
  readonly hasTls?: boolean;
}

/** Starts a mail server on a free port. */
export async function startMailServer({
  host = 'localhost',
  hasTls = true,
}: MailServerOptions = {}): Promise<MailServer> {
  const { cert, key } = await makeCertificate(host);
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  let refusal: { readonly code: number; readonly message: string } | undefined;
  const server = new SMTPServer({
    ...{ cert, key, authOptional: false, hideSTARTTLS: !hasTls, allowInsecureAuth: !hasTls, closeTimeout: 100 },
    ...(hasTls ? {} : { disabledCommands: ['STARTTLS'] }),
    onAuth({ username, password }, _session, done) {
      if (username === 'berth' && password === 'p@ss/word') return done(null, { user: username });
      done(new Error('Invalid user or password'));
    },
    onRcptTo(_address, _session, done) {
      if (!refusal) return done();
      done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure === true,
          ...readMessage(Buffer.concat(chunks).toString()),
        });
        done();
        for (const wake of waiting) wake();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://berth:p%40ss%2Fword@${host}:${port}`,
    ca: cert,
    mails,
    refuse(answer) {
      refusal = answer;
    },
    async take(matches) {
      for (;;) {
        const index = mails.findIndex(matches);
        const [mail] = index < 0 ? [] : mails.splice(index, 1);
        if (mail) return mail;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function makeCertificate(host: string) {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    keys,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { cert: certificate.toString('pem'), key };
}

/** Reads a message of two alternatives, as nodemailer writes them. Source: RFC 2045, RFC 2046, RFC 2047. */
function readMessage(raw: string) {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = unfold(head).map(decodeWords);
  const boundary = /boundary="?([^";]+)"?/.exec(unfold(head).join('\n'))?.[1] ?? '';
  const parts = rest
    .join('\r\n\r\n')
    .split(`--${boundary}`)
    .map((part) => part.replace(/^\r\n/, ''));
  const bodyOf = (type: string): string => {
    const part = parts.find((one) => one.toLowerCase().startsWith(`content-type: ${type}`)) ?? '';
    const [partHead = '', ...lines] = part.split('\r\n\r\n');
    const body = lines.join('\r\n\r\n');
    const encoding = /content-transfer-encoding: (\S+)/i.exec(partHead)?.[1]?.toLowerCase();
    if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
    return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll('=\r\n', '')) : body;
  };
  const subject = headers.find((line) => line.startsWith('Subject: '))?.slice('Subject: '.length) ?? '';
  return { raw, headers, subject, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

const unfold = (head: string) => head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');

function decodeWords(line: string): string {
  return line
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : decodeQuoted(text.replaceAll('_', ' ')),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9a-f]{2})/gi, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
