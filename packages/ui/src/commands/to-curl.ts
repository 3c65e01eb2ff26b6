/** An API call. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, e.g. `/v1/user`. */
  readonly path: string;
  readonly body?: unknown;
  /** Form fields, instead of a body; a value `@FILE` sends that file. */
  readonly form?: Readonly<Record<string, string>>;
  /** Name of a file to send as the body of a `PUT`. */
  readonly upload?: string;
  /** Name of the file to write the response to. */
  readonly output?: string;
  /** Further headers, e.g. `X-Workspace`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers that read the credential from the environment, since people keep the commands that they copy. */
const SECRETS = {
  apiKey: `-H "X-API-Key: $BERTH_API_KEY"`,
  bearer: `-H "Authorization: Bearer $BERTH_AGENT_TOKEN"`,
  session: `-H "Authorization: Bearer $BERTH_SESSION_TOKEN"`,
  none: undefined,
} as const;

/** Credential of a call: an API key, an agent's token, a person's session, or none. */
export type CallSecret = keyof typeof SECRETS;

/** Returns the call as a curl command for a POSIX shell. */
export function toCurl(call: HttpCall, baseUrl: string, secret: CallSecret = 'apiKey'): string {
  const { method, path, body, form = {}, upload, output, headers = {} } = call;
  // `-T` implies PUT.
  const isPlain = method === 'GET' || upload !== undefined;
  const words = ['curl', ...(isPlain ? [] : ['-X', method]), quote(baseUrl + path), SECRETS[secret] ?? ''];
  for (const [name, value] of Object.entries(headers)) words.push('-H', quote(`${name}: ${value}`));
  if (upload !== undefined) words.push('-T', quote(upload));
  if (output !== undefined) words.push('-o', quote(output));
  if (body !== undefined) words.push(`-H 'Content-Type: application/json'`, '-d', quote(JSON.stringify(body)));
  for (const [name, value] of Object.entries(form)) words.push('-F', quote(`${name}=${value}`));
  return words.filter((word) => word !== '').join(' ');
}

/** Quotes `text` as one word for a POSIX shell. */
export function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
