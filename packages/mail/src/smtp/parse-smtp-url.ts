/** How to reach an SMTP server. */
export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte. False: plain, then STARTTLS. */
  readonly isImplicitTls: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** Submission over TLS, and submission with STARTTLS. Source: RFC 8314 section 7.3, RFC 6409. */
const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;

/**
 * Parses `smtps://user:password@host:465` or `smtp://user:password@host:587`.
 * @throws RangeError that doesn't repeat the URL, which contains a password
 */
export function parseSmtpUrl(text: string): SmtpAddress {
  const url = URL.parse(text);
  const { protocol } = url ?? {};
  if (!url || (protocol !== 'smtp:' && protocol !== 'smtps:') || url.hostname === '') {
    throw new RangeError('must be a URL such as smtps://user:password@mail.example.com');
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
    throw new RangeError('must end after the port; write / ? and # in a password as %2F %3F and %23');
  }
  if ((url.username === '') !== (url.password === '')) throw new RangeError('must have both a user and a password');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    isImplicitTls: protocol === 'smtps:',
    user: url.username === '' ? undefined : decode(url.username),
    password: url.password === '' ? undefined : decode(url.password),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RangeError('must encode % in the user and the password as %25');
  }
}

/** Returns whether a host is this machine, so that no one on a network can read a connection to it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
