import { BASE_LANGUAGES, isImagePattern, OFFICIAL } from '@berth/builder/image';
import { DEFAULT_PORT, LIMITS, parseMemory } from '@berth/contract';
import { z } from 'zod';
import { ACME_OPTIONS } from './acme-options.ts';
import { CLUSTER_OPTIONS } from './cluster-options.ts';
import { type Option, option, toggle } from './option.ts';
import {
  assignments,
  commandWords,
  cronExpression,
  integer,
  list,
  listOr,
  mailSender,
  networks,
  optionalPort,
  optionalSize,
  optionalText,
  postgresUrl,
  smtpUrl,
  text,
} from './value-schemas.ts';

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
/** Room for a few of the largest segments. */
const MIN_LOG_CACHE_BYTES = 64 * 2 ** 20;
const LANGUAGES: ReadonlySet<string> = new Set(BASE_LANGUAGES);
/** All settings by their names in code. Unknown flags and unknown `BERTH_` variables are errors. */
export const OPTIONS = {
  port: option(
    'BERTH_PORT',
    integer(0, 65_535, DEFAULT_PORT),
    'Port of the API, the console and every service; 0 picks one',
  ),
  host: option(
    'BERTH_HOST',
    text('localhost'),
    'Address to listen on: localhost (both loopback addresses), 0.0.0.0, or one address',
  ),
  dataFolder: option('BERTH_DATA', text('.berth'), 'Data folder'),
  databaseUrl: option(
    'BERTH_DATABASE_URL',
    postgresUrl,
    'URL of a Postgres database, instead of the SQLite file in the data folder; set the variable, since flags are visible to other users',
    { isSecret: true },
  ),
  databaseConnections: option(
    'BERTH_DATABASE_CONNECTIONS',
    integer(2, 1_000, 10),
    'Maximum number of connections to Postgres for queries; the server uses two more, for its claim and for notices',
  ),
  masterKey: option(
    'BERTH_MASTER_KEY',
    optionalText,
    'Master key, instead of master.key in the data folder: 64 hexadecimal digits; several keys, comma-separated, during a rotation',
    { isSecret: true, isVariableOnly: true },
  ),
  masterKeyFile: option('BERTH_MASTER_KEY_FILE', optionalText, 'File with the master key, such as a mounted secret'),
  masterKeyCommand: option(
    'BERTH_MASTER_KEY_COMMAND',
    commandWords,
    'Command that prints the master key, as a JSON array, such as ["kms-decrypt", "/etc/berth/key.enc"]; run without a shell',
  ),
  secretsCommand: option(
    'BERTH_SECRETS_COMMAND',
    commandWords,
    'Command that prints a secret of your own store for ${{ external.NAME }} in variables, as a JSON array; NAME is its last argument, BERTH_ACCOUNT and BERTH_DEPLOYMENT say for whom',
  ),
  leaseSeconds: option(
    'BERTH_LEASE',
    integer(2, 300, 30),
    'Seconds after which another server takes over the deploys and schedule runs of a server that stopped responding',
  ),
  domain: option('BERTH_DOMAIN', text('localhost'), 'Services are served at <name>.<domain>'),
  publicScheme: option(
    'BERTH_PUBLIC_SCHEME',
    z.enum(['http', 'https']).optional(),
    'Scheme of the URLs that Berth prints: http on localhost, otherwise https',
  ),
  publicPort: option(
    'BERTH_PUBLIC_PORT',
    optionalPort(1),
    "Port in the URLs that Berth prints: the listening port on localhost, otherwise the scheme's default",
  ),
  tlsPort: option('BERTH_TLS_PORT', integer(0, 65_535, 8443), 'Port for TLS, when there are certificates'),
  tlsCert: option(
    'BERTH_TLS_CERT',
    list,
    'Certificate files (PEM, with chain), comma-separated; selected by host name',
  ),
  tlsKey: option('BERTH_TLS_KEY', list, 'Key files of the certificates, in the same order'),
  httpsRedirect: toggle('BERTH_HTTPS_REDIRECT', 'Redirect HTTP to HTTPS (308) for hosts that have a certificate'),
  trustedProxies: option(
    'BERTH_TRUSTED_PROXIES',
    networks,
    'Networks of trusted proxies, such as 10.0.0.0/8, comma-separated; their X-Forwarded-* and Forwarded headers are used',
  ),
  ...ACME_OPTIONS,
  gatewayWorkers: option(
    'BERTH_GATEWAY_WORKERS',
    integer(0, 64, 0),
    'Gateway worker processes, for machines with many CPUs; 0 = one process for everything',
  ),
  adminPort: option(
    'BERTH_ADMIN_PORT',
    optionalPort(0),
    'Port of the admin listener for /metrics, /healthz and /readyz; disabled by default, 0 picks one',
  ),
  adminHost: option('BERTH_ADMIN_HOST', text('127.0.0.1'), 'Address of the admin listener; it requires no credentials'),
  storagePort: option(
    'BERTH_STORAGE_PORT',
    optionalPort(0),
    'Port of the storage listener for volume transfers; --port + 1 by default',
  ),
  storageUrl: option(
    'BERTH_STORAGE_URL',
    z.url({ protocol: /^https?$/ }).optional(),
    'Public URL of the storage listener, such as https://storage.example.com',
  ),
  s3Bucket: option('BERTH_S3_BUCKET', optionalText, 'S3 bucket for volumes, instead of the local disk'),
  sharedFolder: option(
    'BERTH_SHARED_FOLDER',
    optionalText,
    'Folder on a file system that all servers share, for volumes and build results, instead of the local disk or a bucket',
  ),
  logDatabaseUrl: option(
    'BERTH_LOG_DATABASE_URL',
    postgresUrl,
    'URL of a Postgres database for the newest logs of several servers; that of BERTH_DATABASE_URL by default',
    { isSecret: true },
  ),
  s3LogBucket: option(
    'BERTH_S3_LOG_BUCKET',
    optionalText,
    "S3 bucket for Parquet log segments, instead of the local disk; can be the volumes' bucket",
  ),
  logCache: option(
    'BERTH_LOG_CACHE',
    z
      .string()
      .default('1Gi')
      .refine(
        (value) => (parseMemory(value) ?? 0) >= MIN_LOG_CACHE_BYTES,
        'must be a size of 64Mi or more, such as 1Gi',
      ),
    'Maximum size of the local cache of log segments stored in a bucket',
  ),
  s3Endpoint: option(
    'BERTH_S3_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'URL of the S3-compatible service, reachable by clients; AWS by default',
  ),
  s3Region: option('BERTH_S3_REGION', text('us-east-1'), 'Region of the bucket'),
  s3AccessKeyId: option(
    'BERTH_S3_ACCESS_KEY_ID',
    z.string().optional(),
    'Access key for S3; by default from the usual AWS sources',
  ),
  s3SecretAccessKey: option('BERTH_S3_SECRET_ACCESS_KEY', z.string().optional(), 'and its secret', { isSecret: true }),
  backupBucket: option(
    'BERTH_BACKUP_BUCKET',
    optionalText,
    'S3 bucket for scheduled backups of the whole platform; none are made without it',
  ),
  backupSchedule: option(
    'BERTH_BACKUP_SCHEDULE',
    cronExpression('0 3 * * *'),
    'When they are made: a cron expression, in UTC',
  ),
  backupKeep: option('BERTH_BACKUP_KEEP', integer(1, 10_000, 14), 'Number of them that are kept'),
  backupEndpoint: option(
    'BERTH_BACKUP_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'URL of the S3-compatible service of that bucket; BERTH_S3_ENDPOINT by default',
  ),
  backupRegion: option('BERTH_BACKUP_REGION', optionalText, 'Region of that bucket; BERTH_S3_REGION by default'),
  backupAccessKeyId: option(
    'BERTH_BACKUP_ACCESS_KEY_ID',
    z.string().optional(),
    'Access key for that bucket; BERTH_S3_ACCESS_KEY_ID by default',
  ),
  backupSecretAccessKey: option('BERTH_BACKUP_SECRET_ACCESS_KEY', z.string().optional(), 'and its secret', {
    isSecret: true,
  }),
  domainNetworks: option(
    'BERTH_DOMAIN_NETWORKS',
    list,
    'Private networks allowed for domain verification, such as 10.0.0.0/8, comma-separated',
  ),
  webhookNetworks: option(
    'BERTH_WEBHOOK_NETWORKS',
    networks,
    'Private networks that webhooks of alerts and connected repositories can be in, such as 10.0.0.0/8, comma-separated; also allows http:// there',
  ),
  bootstrapKey: option(
    'BERTH_BOOTSTRAP_KEY',
    z.string().min(32, 'must have at least 32 characters').optional(),
    'API key of the first account, for automation; at least 32 characters',
    { isSecret: true },
  ),
  example: toggle('BERTH_EXAMPLE', 'Deploy the example services on the first run', true),
  schedules: toggle(
    'BERTH_SCHEDULES',
    'Run schedules; set to false on a restored server while the original runs them',
    true,
  ),
  signUp: toggle('BERTH_SIGN_UP', 'Allow public sign-up; implies the checks of --require-isolation'),
  requireIsolation: toggle(
    'BERTH_REQUIRE_ISOLATION',
    "Refuse to start if the machine can't isolate accounts that don't trust each other",
  ),
  oidcProviders: option('BERTH_OIDC_PROVIDERS', optionalText, 'JSON file of OpenID Connect providers for sign-in'),
  smtpUrl: option(
    'BERTH_SMTP_URL',
    smtpUrl,
    'SMTP server for e-mail, such as smtps://user:password@mail.example.com; smtp:// requires STARTTLS. Without it the platform sends no mail',
    { isSecret: true },
  ),
  smtpFrom: option('BERTH_SMTP_FROM', mailSender, 'Sender of e-mail, such as Berth <berth@example.com>'),
  smtpCa: option('BERTH_SMTP_CA', optionalText, "File with the SMTP server's root certificate (PEM)"),
  smtpPlaintext: toggle(
    'BERTH_SMTP_PLAINTEXT',
    'Allow mail and the SMTP password to be sent without TLS; always allowed on this machine',
  ),
  runtime: option(
    'BERTH_RUNTIME',
    z.enum(['auto', 'process', 'docker', 'kubernetes']).default('auto'),
    'Runtime of services: process, docker (the engine at DOCKER_HOST), kubernetes (the cluster of KUBECONFIG or of the Pod), or auto: the one used before, or containers if an engine with the base images is available',
  ),
  baseImages: option(
    'BERTH_BASE_IMAGES',
    assignments.refine((images) => Object.keys(images).every((name) => LANGUAGES.has(name)), {
      error: `must name images for ${BASE_LANGUAGES.join(', ')}`,
    }),
    `Base images for container builds, comma-separated, such as node=mirror.example/node:24-slim; for ${BASE_LANGUAGES.join(', ')}`,
  ),
  allowedImages: option(
    'BERTH_ALLOWED_IMAGES',
    listOr(OFFICIAL).refine(
      (patterns) => patterns.every(isImagePattern),
      'must be image names; * is allowed alone or at the end of a name',
    ),
    'Images that Dockerfiles can use besides the base images, comma-separated: node, node:24-slim, mirror.example/team/*, official, or * for all',
  ),
  buildArgs: option(
    'BERTH_BUILD_ARGS',
    assignments,
    'Build arguments for images, NAME=value, comma-separated; visible to builds, not stored in images',
  ),
  allowRootImages: toggle('BERTH_ALLOW_ROOT_IMAGES', 'Allow images to run as root in their container'),
  readOnlyRoot: toggle('BERTH_READ_ONLY_ROOT', 'Make container file systems read-only except /tmp and volumes'),
  dockerRuntime: option('BERTH_DOCKER_RUNTIME', z.string().optional(), 'OCI runtime for containers, such as runsc'),
  dockerSubnets: option(
    'BERTH_DOCKER_SUBNETS',
    text('10.213.0.0/16'),
    'Address pool for the private networks of accounts',
  ),
  ...CLUSTER_OPTIONS,
  blockedRanges: option(
    'BERTH_BLOCKED_RANGES',
    networks,
    "Networks that services and builds can't connect to, such as 10.0.0.0/8,fd00::/8; comma-separated",
  ),
  nestedSandboxes: toggle(
    'BERTH_NESTED_SANDBOXES',
    'Allow services to create sandboxes, as for run_command of agents; disables the system call filter',
  ),
  networks: option(
    'BERTH_NETWORKS',
    z.enum(['auto', 'shared']).default('auto'),
    "Network of process services: auto = isolated if the machine supports it, shared = the machine's network",
  ),
  hostPorts: option(
    'BERTH_HOST_PORTS',
    list
      .refine((ports) => ports.every(isPort), 'must be ports such as 11434,5432')
      .transform((ports) => ports.map(Number)),
    'TCP ports of this machine that services and builds can reach at 127.0.0.1, such as 11434; comma-separated',
  ),
  isolation: option(
    'BERTH_ISOLATION',
    z.enum(['auto', 'none']).default('auto'),
    'auto = bubblewrap if it works; none = separate users and limits only',
  ),
  memoryBudget: option(
    'BERTH_MEMORY_BUDGET',
    optionalSize('8Gi'),
    "Total memory of all instances; 80 % of the machine's by default",
  ),
  cpuOvercommit: option(
    'BERTH_CPU_OVERCOMMIT',
    integer(1, 1_000, 20),
    'CPU overcommit ratio of all instances; memory is never overcommitted',
  ),
  idleTimeoutSeconds: option(
    'BERTH_IDLE_TIMEOUT',
    integer(1, 86_400, 900),
    'Idle timeout in seconds before the last instance of a service stops',
  ),
  suspendAfterSeconds: option(
    'BERTH_SUSPEND_AFTER',
    integer(0, 86_400, 60),
    'Idle time in seconds before an instance is suspended, if the machine supports it; 0 = never',
  ),
  busyMaxSeconds: option(
    'BERTH_BUSY_MAX',
    integer(0, 86_400, 3_600),
    "Maximum seconds that a busy instance is kept after its last request; 0 = don't check",
  ),
  startTimeoutSeconds: option(
    'BERTH_START_TIMEOUT',
    integer(1, LIMITS.startTimeoutMs / 1_000, LIMITS.startTimeoutMs / 1_000),
    'Startup timeout in seconds, until a service listens on its port',
  ),
  parallelBuilds: option('BERTH_PARALLEL_BUILDS', integer(1, 64, 2), 'Maximum concurrent builds'),
  buildCa: option(
    'BERTH_BUILD_CA',
    optionalText,
    "PEM file of CA certificates for image builds; the machine's by default",
  ),
  buildTimeoutSeconds: option('BERTH_BUILD_TIMEOUT', integer(10, 7_200, 600), 'Build timeout in seconds'),
  cacheLimit: option(
    'BERTH_CACHE_LIMIT',
    optionalSize('20Gi'),
    'Maximum size of all process build caches; by default 10Gi or a tenth of the disk, whichever is less',
  ),
  keptRevisions: option(
    'BERTH_KEPT_REVISIONS',
    integer(1, 50, 5),
    'Revisions kept per deployment for rollback; the live revision is always kept',
  ),
  gitLimit: option(
    'BERTH_GIT_LIMIT',
    optionalSize('512Mi'),
    'Maximum size of a `git push`, and of the pushed history of a deployment; 512Mi by default',
  ),
  logRetentionDays: option('BERTH_LOG_RETENTION_DAYS', integer(1, 3_650, 30), 'Log retention in days'),
  logExportUrl: option(
    'BERTH_LOG_EXPORT_URL',
    z.url({ protocol: /^https?$/ }).optional(),
    'Receiver of all log entries by OTLP over HTTP, such as https://collector.example.com/v1/logs',
  ),
  logExportHeaders: option(
    'BERTH_LOG_EXPORT_HEADERS',
    assignments,
    'Headers for the receiver of logs, name=value, comma-separated, such as an API key',
    { isSecret: true, isVariableOnly: true },
  ),
  priceBook: option('BERTH_PRICE_BOOK', optionalText, 'JSON file of prices; comparable to large clouds by default'),
  plans: option('BERTH_PLANS', optionalText, 'JSON file of plans and their limits; one plan by default'),
  stripeKey: option('BERTH_STRIPE_KEY', optionalText, "Stripe's secret key, to sell plans", {
    isSecret: true,
  }),
  stripeWebhookSecret: option(
    'BERTH_STRIPE_WEBHOOK_SECRET',
    optionalText,
    'Signing secret of the Stripe webhook at /webhooks/stripe',
    { isSecret: true },
  ),
  reservedNames: option('BERTH_RESERVED_NAMES', list, 'Additional reserved deployment names, comma-separated'),
  envPrefixes: option(
    'BERTH_ENV_PREFIXES',
    list,
    'Additional prefixes for platform variables, e.g. ACME for ACME_VOLUMES',
  ),
  logLevel: option(
    'BERTH_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('warn'),
    "Minimum level of the platform's log on standard error",
  ),
} as const satisfies Record<string, Option>;

/** `BERTH_` variables that belong to the command line and to tests, not to the server. */
export const FOREIGN_VARIABLES: readonly string[] = ['BERTH_URL', 'BERTH_API_KEY', 'BERTH_TEST_ENGINE'];
