/** One call of an API. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query, e.g. `/v1/user`. */
  readonly path: string;
  readonly body?: unknown;
  /** Fields of a form, in place of a body; `@` before a file's name sends the file. */
  readonly form?: Readonly<Record<string, string>>;
  /** The name of a file that is sent as it is, with `PUT`. */
  readonly upload?: string;
  /** The name of the file that the answer is written to. */
  readonly output?: string;
  /** Other headers, e.g. `X-Workspace`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Takes the key from the environment: a secret has no place in a command that people copy and keep. */
const SECRETS = {
  apiKey: `-H "X-API-Key: $BERTH_API_KEY"`,
  bearer: `-H "Authorization: Bearer $BERTH_AGENT_TOKEN"`,
  session: `-H "Authorization: Bearer $BERTH_SESSION_TOKEN"`,
  none: undefined,
} as const;

/** How a call says who makes it: a key of the platform, a token of an agent, a session of a person, or nothing. */
export type CallSecret = keyof typeof SECRETS;

/** The call as a line for a POSIX shell. */
export function toCurl(call: HttpCall, baseUrl: string, secret: CallSecret = 'apiKey'): string {
  const { method, path, body, form = {}, upload, output, headers = {} } = call;
  // `-T` is a PUT by itself.
  const isPlain = method === 'GET' || upload !== undefined;
  const words = ['curl', ...(isPlain ? [] : ['-X', method]), quote(baseUrl + path), SECRETS[secret] ?? ''];
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(`${name}: ${value}`));
  if (upload !== undefined) words.push('-T', quote(upload));
  if (output !== undefined) words.push('-o', quote(output));
  if (body !== undefined) words.push(`-H 'Content-Type: application/json'`, '-d', quote(JSON.stringify(body)));
  for (const [name, value] of Object.entries(form)) words.push('-F', quote(`${name}=${value}`));
  return words.filter((word) => word !== '').join(' ');
}

/** `text` as one word of a POSIX shell, whatever it holds. */
export function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
