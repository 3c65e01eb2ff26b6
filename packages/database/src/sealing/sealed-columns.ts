import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema/index.ts';
import type { Sealer } from './create-sealer.ts';

/** The sealers of the platform, each with keys of its own. */
export interface Sealers {
  /** Seals variables and tokens of deployments, and certificates. */
  readonly environment: Sealer;
  /** Seals the keys that the identity provider signs with. */
  readonly identity: Sealer;
}

/** The context that seals a variable of a deployment. */
export const variableContext = (account: string, deployment: string, key: string) => ['env', account, deployment, key];
/** The context that seals what was set for a variable of a deployment, with its references. */
export const templateContext = (account: string, deployment: string, key: string) => [
  'env template',
  account,
  deployment,
  key,
];
/** The context that seals a variable of an account. */
export const sharedVariableContext = (account: string, key: string) => ['env shared', account, key];
/** The context that seals the token of a deployment's scheduled calls. */
export const cronTokenContext = (account: string, deployment: string) => ['cron', account, deployment];
/** The context that seals a certificate with its key. */
export const certificateContext = (name: string) => ['certificate', name];
/** The context that seals an account of a certificate authority. */
export const acmeAccountContext = (directoryUrl: string) => ['acme account', directoryUrl];
/** The context that seals the text of an e-mail. */
export const mailContext = (id: string) => ['mail', id];
/** The context that seals the secret of an alert's webhook. */
export const alertSecretContext = (rule: string) => ['alert secret', rule];
/** The context that seals a secret of a connected repository. */
export const repositoryContext = (
  repository: string,
  kind: 'secret' | 'token' | 'deploy_key' | 'preview_variables',
) => ['repository', kind, repository];
/** The context that seals a signing key of the identity provider. */
export const identityKeyContext = (kid: string) => ['identity key', kid];

type Row = Readonly<Record<string, string | number>>;

/** A column with sealed secrets. */
interface SealedColumn {
  readonly table: keyof Database;
  readonly column: string;
  readonly key: readonly string[];
  readonly sealer: keyof Sealers;
  contextOf(row: Row): readonly string[];
}

const text = (row: Row, column: string) => String(row[column]);

/** Every column with sealed secrets. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'environment_variables',
    column: 'sealed_value',
    key: ['account_id', 'deployment', 'key', 'since_version'],
    sealer: 'environment',
    contextOf: (row) => variableContext(text(row, 'account_id'), text(row, 'deployment'), text(row, 'key')),
  },
  {
    table: 'environment_variables',
    column: 'sealed_template',
    key: ['account_id', 'deployment', 'key', 'since_version'],
    sealer: 'environment',
    contextOf: (row) => templateContext(text(row, 'account_id'), text(row, 'deployment'), text(row, 'key')),
  },
  {
    table: 'shared_variables',
    column: 'sealed_value',
    key: ['account_id', 'key'],
    sealer: 'environment',
    contextOf: (row) => sharedVariableContext(text(row, 'account_id'), text(row, 'key')),
  },
  {
    table: 'cron_tokens',
    column: 'sealed_token',
    key: ['account_id', 'deployment'],
    sealer: 'environment',
    contextOf: (row) => cronTokenContext(text(row, 'account_id'), text(row, 'deployment')),
  },
  {
    table: 'identity_keys',
    column: 'sealed_private_key',
    key: ['kid'],
    sealer: 'identity',
    contextOf: (row) => identityKeyContext(text(row, 'kid')),
  },
  {
    table: 'certificates',
    column: 'sealed_pem',
    key: ['name'],
    sealer: 'environment',
    contextOf: (row) => certificateContext(text(row, 'name')),
  },
  {
    table: 'acme_accounts',
    column: 'sealed_account',
    key: ['directory_url'],
    sealer: 'environment',
    contextOf: (row) => acmeAccountContext(text(row, 'directory_url')),
  },
  {
    table: 'alert_rules',
    column: 'sealed_secret',
    key: ['id'],
    sealer: 'environment',
    contextOf: (row) => alertSecretContext(text(row, 'id')),
  },
  {
    table: 'mail_outbox',
    column: 'sealed_content',
    key: ['id'],
    sealer: 'environment',
    contextOf: (row) => mailContext(text(row, 'id')),
  },
  ...(['secret', 'token', 'deploy_key', 'preview_variables'] as const).map(
    (kind): SealedColumn => ({
      table: 'repositories',
      column: `sealed_${kind}`,
      key: ['id'],
      sealer: 'environment',
      contextOf: (row) => repositoryContext(text(row, 'id'), kind),
    }),
  ),
];

/** Returns whether the sealers have the keys of all sealed secrets of the database. */
export async function canOpenSealed(db: Kysely<Database>, sealers: Sealers): Promise<boolean> {
  for (const sealed of SEALED_COLUMNS) {
    const found = await selectOthers(db, sealed, sealers[sealed.sealer].prefixes, 1);
    if (found.length > 0) return false;
  }
  return true;
}

/** Returns rows whose secret has none of `prefixes`, with their key and the secret. */
export async function selectOthers(
  db: Kysely<Database>,
  { table, column, key }: SealedColumn,
  prefixes: readonly string[],
  limit: number,
): Promise<readonly Row[]> {
  const others = sql.join(
    prefixes.map((prefix) => sql`${sql.ref(column)} not like ${`${prefix}%`}`),
    sql` and `,
  );
  const columns = sql.join([...key, column].map((name) => sql.ref(name)));
  const { rows } = await sql<Row>`select ${columns} from ${sql.table(table)} where ${others} limit ${limit}`.execute(
    db,
  );
  return rows;
}
