import type { ComposedMail } from '../texts/compose-mail.ts';
import { isLoopback, parseSmtpUrl } from './parse-smtp-url.ts';

/** An e-mail with its addresses. */
export interface AddressedMail extends ComposedMail {
  /** The same at each attempt: the receiver can tell a repetition by the `Message-ID`. */
  readonly id: string;
  readonly to: string;
  /** Epoch milliseconds, wall clock. */
  readonly createdAtMs: number;
}

/** Thrown when an e-mail wasn't accepted. The message has the answer of the server, and no credential. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
  /** True when another attempt can't succeed: the server refused the recipient or the message for good. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isFinal = isFinal;
  }
}

/** Hands e-mails to a server that delivers them. */
export interface MailTransport {
  /** Resolves when the server has taken responsibility. @throws MailRefusedError */
  send(mail: AddressedMail): Promise<void>;
}

/** Options of {@link createSmtpTransport}. */
export interface SmtpTransportOptions {
  /** See {@link parseSmtpUrl}. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
  /** True: a server that offers no TLS gets the mail and the password in plain text. */
  readonly isPlaintextAllowed: boolean;
  /** Root certificates in PEM besides those of the system. */
  readonly ca?: string | undefined;
}

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

/** Commands whose refusal with 5xx concerns the message and not the settings. Source: RFC 5321 section 4.2. */
const MESSAGE_COMMANDS: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

/**
 * Creates a transport over SMTP. TLS with a valid certificate is required, except on this machine or where plain text is
 * allowed. nodemailer is loaded with the first e-mail.
 */
export function createSmtpTransport({ url, from, isPlaintextAllowed, ca }: SmtpTransportOptions): MailTransport {
  const { host, port, isImplicitTls, user, password } = parseSmtpUrl(url);
  const isTlsRequired = !isPlaintextAllowed && !isLoopback(host);
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port,
      secure: isImplicitTls,
      requireTLS: isTlsRequired,
      opportunisticTLS: !isTlsRequired,
      // Mail servers of this machine often have a certificate that nobody signed.
      ignoreTLS: !isTlsRequired && isLoopback(host) && ca === undefined,
      tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      disableFileAccess: true,
      disableUrlAccess: true,
      ...TIMEOUTS,
    });
  };
  let opened: ReturnType<typeof open> | undefined;
  const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? host;
  return {
    async send({ id, to, subject, text, html, createdAtMs }) {
      opened ??= open();
      const transport = await opened;
      try {
        await transport.sendMail({
          from,
          // As an object, so that no text is parsed as a list of recipients.
          to: { name: '', address: to },
          ...{ subject, text, html },
          messageId: `<${id}@${domain}>`,
          date: new Date(createdAtMs),
          // Source: RFC 3834. Vacation responders don't answer.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (cause) {
        throw toRefusal(cause);
      }
    },
  };
}

function toRefusal(cause: unknown): MailRefusedError {
  const { message, responseCode, command } = cause as Error & { responseCode?: number; command?: string };
  const isFinal = responseCode !== undefined && responseCode >= 500 && MESSAGE_COMMANDS.includes(command);
  return new MailRefusedError(message.replaceAll(/\s+/g, ' ').slice(0, 500), isFinal, { cause });
}
