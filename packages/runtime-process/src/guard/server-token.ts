import { readFileSync, writeFileSync } from 'node:fs';

/** Identifies a server among those started one after another on a data folder. The file holds the latest server's token. */
export interface ServerToken {
  readonly value: string;
  readonly file: string;
}

/** Writes a new token, which makes this server the latest. Guardians of earlier servers then do nothing. */
export function takeServerToken(file: string): ServerToken {
  const value = crypto.randomUUID();
  writeFileSync(file, value, { mode: 0o600 });
  return { value, file };
}

/** Returns whether this is still the latest token. False too when the data folder is gone. */
export function isLastServer({ value, file }: ServerToken): boolean {
  try {
    return readFileSync(file, 'utf8') === value;
  } catch {
    return false;
  }
}
