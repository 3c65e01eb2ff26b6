import { readFileSync, writeFileSync } from 'node:fs';

/** Tells the servers apart that were started on a data folder one after the other: the last one's token is in a file. */
export interface ServerToken {
  readonly value: string;
  readonly file: string;
}

/** Makes this server the last one: from now on the guardian of one before leaves everything alone. */
export function takeServerToken(file: string): ServerToken {
  const value = crypto.randomUUID();
  writeFileSync(file, value, { mode: 0o600 });
  return { value, file };
}

/** False when another server was started since, and when the data folder is no more. */
export function isLastServer({ value, file }: ServerToken): boolean {
  try {
    return readFileSync(file, 'utf8') === value;
  } catch {
    return false;
  }
}
