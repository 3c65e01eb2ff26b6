import { BASE_LANGUAGES, isImagePattern, OFFICIAL } from '@berth/builder/image';
import { DEFAULT_PORT, LIMITS, parseMemory } from '@berth/contract';
import { createNetworkList } from '@berth/kit/node';
import { z } from 'zod';

/** A setting of the server: its variable, its type and its help text. */
export interface Option {
  /** `BERTH_…`; the flag is the same in kebab case without the prefix. */
  readonly env: string;
  readonly flag: string;
  readonly description: string;
  /** Parses the text of a flag or variable; `undefined` when it isn't given. */
  readonly schema: z.ZodType<unknown, string | undefined>;
  /** Never printed. */
  readonly isSecret?: boolean;
  /** The flag without a value means `true`. */
  readonly isSwitch?: boolean;
}

const text = (fallback: string) => z.string().min(1).default(fallback);
/** Text of a number. Number() would read an empty text as 0, and 0 is a meaning of its own for ports. */
const digits = z.string().trim().min(1);
const integer = (min: number, max: number, fallback: number) =>
  digits.default(String(fallback)).pipe(z.coerce.number<string>().int().min(min).max(max));
const optionalText = z.string().min(1).optional();
const optionalPort = (min: number) => digits.pipe(z.coerce.number<string>().int().min(min).max(65_535)).optional();
const optionalSize = (example: string) =>
  z
    .string()
    .refine((value) => parseMemory(value) !== undefined, `must be a size such as ${example}`)
    .optional();
const onOff = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true' || value === '1');
const listOr = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    );
const list = listOr('');

const networks = list.superRefine((values, context) => {
  try {
    createNetworkList(values);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as RangeError).message });
  }
});
const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
/** Room for a few of the largest segments. */
const MIN_LOG_CACHE_BYTES = 64 * 2 ** 20;
const LANGUAGES: ReadonlySet<string> = new Set(BASE_LANGUAGES);
/** `NAME=value`, comma-separated. */
const assignments = z
  .string()
  .default('')
  .transform((value) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.split(/=(.*)/s, 2)])))
  .refine(
    (pairs) => pairs.every(([name, value]) => name?.trim() && value?.trim()),
    'must be NAME=value, comma-separated',
  )
  .transform(
    (pairs): Readonly<Record<string, string>> =>
      Object.fromEntries(pairs.map(([name = '', value = '']) => [name.trim(), value.trim()])),
  );

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
  dataFolder: option('BERTH_DATA', text('.berth'), 'Folder that holds everything Berth keeps'),
  domain: option('BERTH_DOMAIN', text('localhost'), 'Services are served at <name>.<domain>'),
  publicScheme: option(
    'BERTH_PUBLIC_SCHEME',
    z.enum(['http', 'https']).optional(),
    'Scheme of the addresses Berth prints: http on localhost, else https',
  ),
  publicPort: option(
    'BERTH_PUBLIC_PORT',
    optionalPort(1),
    'Port in the addresses Berth prints: the listening one on localhost, else the default of the scheme',
  ),
  tlsPort: option('BERTH_TLS_PORT', integer(0, 65_535, 8443), 'Port for TLS, when there are certificates'),
  tlsCert: option('BERTH_TLS_CERT', list, 'Certificate files (PEM, with their chain), comma-separated; chosen by name'),
  tlsKey: option('BERTH_TLS_KEY', list, 'Their key files, in the same order'),
  httpsRedirect: toggle(
    'BERTH_HTTPS_REDIRECT',
    'Answer plain requests with 308 to https, for hosts that have a certificate',
  ),
  trustedProxies: option(
    'BERTH_TRUSTED_PROXIES',
    networks,
    'Networks of proxies in front, such as 10.0.0.0/8: their X-Forwarded-* and Forwarded are believed; comma-separated',
  ),
  acmeDirectory: option(
    'BERTH_ACME_DIRECTORY',
    z.url({ protocol: /^https$/ }).optional(),
    'Directory of an ACME authority: every name gets a certificate; accepts its terms',
  ),
  acmeEmail: option('BERTH_ACME_EMAIL', z.email().optional(), 'Whom that authority may write to'),
  acmeEabKid: option('BERTH_ACME_EAB_KID', z.string().optional(), 'External account of that authority: key id'),
  acmeEabHmacKey: option('BERTH_ACME_EAB_HMAC_KEY', z.string().optional(), 'and its key', { isSecret: true }),
  acmeCa: option('BERTH_ACME_CA', z.string().optional(), "File with that authority's own root certificate (PEM)"),
  gatewayWorkers: option(
    'BERTH_GATEWAY_WORKERS',
    integer(0, 64, 0),
    'Processes that take requests, for a machine with many CPUs; 0: one process does everything',
  ),
  adminPort: option(
    'BERTH_ADMIN_PORT',
    optionalPort(0),
    'Port of a listener of its own for /metrics, /healthz and /readyz; none when not set, 0 picks one',
  ),
  adminHost: option('BERTH_ADMIN_HOST', text('127.0.0.1'), 'Address of that listener; it asks for no credential'),
  storagePort: option(
    'BERTH_STORAGE_PORT',
    optionalPort(0),
    'Port of the storage listener, over which objects of volumes move; the one after --port when not set',
  ),
  storageUrl: option(
    'BERTH_STORAGE_URL',
    z.url({ protocol: /^https?$/ }).optional(),
    'Its address as clients reach it, such as https://storage.example.com',
  ),
  s3Bucket: option('BERTH_S3_BUCKET', optionalText, 'Keep volumes in this S3 bucket, not on this disk'),
  s3LogBucket: option(
    'BERTH_S3_LOG_BUCKET',
    optionalText,
    'Keep Parquet segments of logs in this S3 bucket, not on this disk; it may be the bucket of volumes',
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
    'Most that is kept on this disk of log segments that are in a bucket',
  ),
  s3Endpoint: option(
    'BERTH_S3_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address of the S3-compatible service, as clients reach it too; that of AWS when not set',
  ),
  s3Region: option('BERTH_S3_REGION', text('us-east-1'), 'Region of that bucket'),
  s3AccessKeyId: option('BERTH_S3_ACCESS_KEY_ID', z.string().optional(), 'Key for it; from where AWS tools look else'),
  s3SecretAccessKey: option('BERTH_S3_SECRET_ACCESS_KEY', z.string().optional(), 'and its secret', { isSecret: true }),
  domainNetworks: option(
    'BERTH_DOMAIN_NETWORKS',
    list,
    'Private networks in which proofs of custom domains may be looked for, such as 10.0.0.0/8, comma-separated',
  ),
  bootstrapKey: option(
    'BERTH_BOOTSTRAP_KEY',
    z.string().min(32, 'must have 32 characters or more').optional(),
    "The first account's API key, for automation; 32 characters or more",
    { isSecret: true },
  ),
  example: toggle('BERTH_EXAMPLE', 'Deploy the example service on the first run', true),
  schedules: toggle(
    'BERTH_SCHEDULES',
    'Run schedules; false for a restored server beside the one that runs them',
    true,
  ),
  signUp: toggle('BERTH_SIGN_UP', 'Let strangers make accounts of their own; needs what --require-isolation needs'),
  requireIsolation: toggle(
    'BERTH_REQUIRE_ISOLATION',
    "Don't start where services of accounts that don't trust each other can't be kept apart",
  ),
  oidcProviders: option(
    'BERTH_OIDC_PROVIDERS',
    optionalText,
    'JSON file of OpenID Connect providers that people may sign in with',
  ),
  runtime: option(
    'BERTH_RUNTIME',
    z.enum(['auto', 'process', 'docker']).default('auto'),
    'What services run as: process, or containers of the Docker engine at DOCKER_HOST; auto: containers where an engine answers that has the base images, and whatever it was before',
  ),
  baseImages: option(
    'BERTH_BASE_IMAGES',
    assignments.refine((images) => Object.keys(images).every((name) => LANGUAGES.has(name)), {
      error: `must name images for ${BASE_LANGUAGES.join(', ')}`,
    }),
    `Base images of builds on an engine, comma-separated, such as node=mirror.example/node:24-slim; for ${BASE_LANGUAGES.join(', ')}`,
  ),
  allowedImages: option(
    'BERTH_ALLOWED_IMAGES',
    listOr(OFFICIAL).refine(
      (patterns) => patterns.every(isImagePattern),
      'must name images; * stands at the end of a name, or alone',
    ),
    'Images that Dockerfiles may name besides the base images, comma-separated: node, node:24-slim, mirror.example/team/*, official, or * for all',
  ),
  buildArgs: option(
    'BERTH_BUILD_ARGS',
    assignments,
    'Build arguments for images, NAME=value, comma-separated; builds can print them, and no image keeps them',
  ),
  allowRootImages: toggle('BERTH_ALLOW_ROOT_IMAGES', 'Let images be root inside their container'),
  readOnlyRoot: toggle('BERTH_READ_ONLY_ROOT', 'Containers write only to /tmp and volumes'),
  dockerRuntime: option('BERTH_DOCKER_RUNTIME', z.string().optional(), 'OCI runtime of containers, such as runsc'),
  dockerSubnets: option(
    'BERTH_DOCKER_SUBNETS',
    text('10.213.0.0/16'),
    'Where the private networks of accounts get their addresses from',
  ),
  blockedRanges: option(
    'BERTH_BLOCKED_RANGES',
    networks,
    'Networks that services and builds must not connect to, such as 10.0.0.0/8,fd00::/8; comma-separated',
  ),
  nestedSandboxes: toggle(
    'BERTH_NESTED_SANDBOXES',
    'Let services make sandboxes of their own, as for run_command of agents; takes the system call filter away',
  ),
  networks: option(
    'BERTH_NETWORKS',
    z.enum(['auto', 'shared']).default('auto'),
    "Networks of services that run as processes: their own where the machine can (auto), or the machine's for all (shared)",
  ),
  hostPorts: option(
    'BERTH_HOST_PORTS',
    list
      .refine((ports) => ports.every(isPort), 'must be ports such as 11434,5432')
      .transform((ports) => ports.map(Number)),
    'TCP ports of this machine that services and builds reach on their own 127.0.0.1, such as 11434; comma-separated',
  ),
  isolation: option(
    'BERTH_ISOLATION',
    z.enum(['auto', 'none']).default('auto'),
    'auto: bubblewrap where it works; none: separate users and limits only',
  ),
  memoryBudget: option(
    'BERTH_MEMORY_BUDGET',
    optionalSize('8Gi'),
    "Memory all instances together may be given; 80 % of the machine's when not set",
  ),
  cpuOvercommit: option(
    'BERTH_CPU_OVERCOMMIT',
    integer(1, 1_000, 20),
    'How many times the CPUs of the machine all instances together may be promised; memory is never over-committed',
  ),
  idleTimeoutSeconds: option(
    'BERTH_IDLE_TIMEOUT',
    integer(1, 86_400, 900),
    'Seconds without a request after which the last instance of a service stops',
  ),
  suspendAfterSeconds: option(
    'BERTH_SUSPEND_AFTER',
    integer(0, 86_400, 60),
    'Seconds without a request after which an instance is frozen, where the machine can, until it stops; 0: never',
  ),
  busyMaxSeconds: option(
    'BERTH_BUSY_MAX',
    integer(0, 86_400, 3_600),
    'Seconds after its last request for which an instance that says that it is busy is kept; 0: instances are not asked',
  ),
  startTimeoutSeconds: option(
    'BERTH_START_TIMEOUT',
    integer(1, LIMITS.startTimeoutMs / 1_000, LIMITS.startTimeoutMs / 1_000),
    'Seconds a service may take until it listens on its port',
  ),
  parallelBuilds: option('BERTH_PARALLEL_BUILDS', integer(1, 64, 2), 'Builds that may run at once'),
  buildCa: option(
    'BERTH_BUILD_CA',
    optionalText,
    "PEM file of the certificates that builds of images trust; the machine's own when not set",
  ),
  buildTimeoutSeconds: option('BERTH_BUILD_TIMEOUT', integer(10, 7_200, 600), 'Seconds a build may take'),
  cacheLimit: option(
    'BERTH_CACHE_LIMIT',
    optionalSize('20Gi'),
    'Most that caches of builds as processes take together; 10Gi or a tenth of the disk, whichever is less, when not set',
  ),
  keptRevisions: option(
    'BERTH_KEPT_REVISIONS',
    integer(1, 50, 5),
    'Newest revisions of each deployment that are kept, to roll back to; the one that serves always is',
  ),
  logRetentionDays: option('BERTH_LOG_RETENTION_DAYS', integer(1, 3_650, 30), 'Days that logs are kept'),
  priceBook: option(
    'BERTH_PRICE_BOOK',
    optionalText,
    'JSON file of prices; without it, what large clouds ask for the like',
  ),
  plans: option('BERTH_PLANS', optionalText, 'JSON file of plans and their limits; without it, one plan'),
  stripeKey: option('BERTH_STRIPE_KEY', optionalText, "Stripe's secret key, to sell plans", {
    isSecret: true,
  }),
  stripeWebhookSecret: option(
    'BERTH_STRIPE_WEBHOOK_SECRET',
    optionalText,
    'Secret of the Stripe webhook that is sent to /webhooks/stripe',
    { isSecret: true },
  ),
  reservedNames: option('BERTH_RESERVED_NAMES', list, 'More names that no deployment may have, comma-separated'),
  envPrefixes: option(
    'BERTH_ENV_PREFIXES',
    list,
    'Prefixes under which services find the platform variables too, e.g. ACME for ACME_VOLUMES',
  ),
  logLevel: option(
    'BERTH_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('warn'),
    "Lowest level of the platform's own log on standard error",
  ),
} as const satisfies Record<string, Option>;

/** `BERTH_` variables that belong to the command line and to tests, not to the server. */
export const FOREIGN_VARIABLES: readonly string[] = ['BERTH_URL', 'BERTH_API_KEY', 'BERTH_TEST_ENGINE'];

function toggle(env: string, description: string, fallback = false) {
  return option(env, onOff(fallback), description, { isSwitch: true });
}

function option<Schema extends Option['schema']>(
  env: string,
  schema: Schema,
  description: string,
  extra: Pick<Option, 'isSecret' | 'isSwitch'> = {},
): Option & { readonly schema: Schema } {
  const flag = env.replace('BERTH_', '').toLowerCase().replaceAll('_', '-');
  return { env, flag, schema, description, ...extra };
}
