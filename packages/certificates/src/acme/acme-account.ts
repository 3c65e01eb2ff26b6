import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createError } from '@berth/contract/errors';
import { codeOf, writePrivateFile } from '@berth/kit/node';
import { z } from 'zod';

const accountSchema = z.object({
  directoryUrl: z.string(),
  /** The account's private key, PEM. Anyone who has this key can order and revoke certificates for the account. */
  keyPem: z.string(),
  /** The account's URL on the server; null before registration. */
  accountUrl: z.string().nullable(),
  /** The contact address that the server has; null for none. */
  email: z.string().nullable(),
});

/** An account on an ACME server. */
export type AcmeAccount = Readonly<z.infer<typeof accountSchema>>;

/** Storage for the account on one ACME server. Each server has its own account. */
export interface AcmeAccountStore {
  /**
   * Returns the stored account, or a new unregistered one that is stored first. @throws `unavailable` if the file is
   * damaged.
   */
  load(): Promise<AcmeAccount>;
  save(account: AcmeAccount): Promise<void>;
}

/** A place for the account as text. */
export interface AccountText {
  find(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** Creates the store for the account on the server at `directoryUrl`, in a file in `folder`, or in `shared`, which a file is moved to. */
export function createAcmeAccountStore(folder: string, directoryUrl: string, shared?: AccountText): AcmeAccountStore {
  const id = createHash('sha256').update(directoryUrl).digest('hex').slice(0, 16);
  const file = path.join(folder, `account-${id}.json`);
  const save = (account: AcmeAccount) => {
    const text = `${JSON.stringify(account, null, 2)}\n`;
    return shared ? shared.save(text) : writePrivateFile(file, text);
  };
  return {
    save,
    async load() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const found = await shared?.find();
      if (found !== undefined) return parse(found, `The account on ${directoryUrl}`);
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      if (text !== undefined) {
        const account = parse(text, file);
        if (shared) await save(account);
        return account;
      }
      const account: AcmeAccount = { directoryUrl, keyPem: createAccountKey(), accountUrl: null, email: null };
      // Saved before use: an account whose key is lost cannot be used again.
      await save(account);
      return account;
    },
  };
}

function parse(text: string, file: string): AcmeAccount {
  try {
    return accountSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `${file} is damaged. Restore it from a backup, or move it away to register a new ACME account.`;
    throw createError('unavailable', message, { cause });
  }
}

/** Creates an ES256 key as PEM. Every ACME server must support ES256. Source: RFC 8555 6.2. */
function createAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
