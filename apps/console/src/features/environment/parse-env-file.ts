/** A variable of a `.env` file. The name is not validated. */
export interface EnvFileVariable {
  readonly key: string;
  readonly value: string;
}

/** A name, then a value in double quotes, single quotes, backquotes, or none. Quoted values may have several lines. */
const VARIABLE =
  /^[^\S\n]*(?:export[^\S\n]+)?([^\s=#]+)[^\S\n]*=[^\S\n]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^#\n]*))[^\n]*$/gm;

/**
 * Returns the variables of a `.env` file, in order; of a repeated name, the last value counts. Skips comments and lines
 * without `=`. Reads files as `util.parseEnv` of Node.js does, which `berth env set --from-file` uses.
 */
export function parseEnvFile(text: string): EnvFileVariable[] {
  const values = new Map<string, string>();
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r', '');
  for (const [, key = '', double, single, back, plain = ''] of clean.matchAll(VARIABLE)) {
    values.set(key, double?.replaceAll('\\n', '\n') ?? single ?? back ?? plain.trim());
  }
  return [...values].map(([key, value]) => ({ key, value }));
}
