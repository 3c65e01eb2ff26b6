/** One call of an API. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query, e.g. `/v1/user`. */
  readonly path: string;
  readonly body?: unknown;
  /** Fields of a form, in place of a body; `@` before a file's name sends the file. */
  readonly form?: Readonly<Record<string, string>>;
}

/** Takes the key from the environment: a secret has no place in a command that people copy and keep. */
const KEY_HEADER = `-H "X-API-Key: $BERTH_API_KEY"`;

/** The call as a line for a POSIX shell. */
export function toCurl({ method, path, body, form = {} }: HttpCall, baseUrl: string): string {
  const words = ['curl', ...(method === 'GET' ? [] : ['-X', method]), quote(baseUrl + path), KEY_HEADER];
  if (body !== undefined) words.push(`-H 'Content-Type: application/json'`, '-d', quote(JSON.stringify(body)));
  for (const [name, value] of Object.entries(form)) words.push('-F', quote(`${name}=${value}`));
  return words.join(' ');
}

/** `text` as one word of a POSIX shell, whatever it holds. */
export function quote(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
