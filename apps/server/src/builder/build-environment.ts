import { existsSync } from 'node:fs';

/**
 * Variables of the server's environment that are passed to builds: how this machine reaches registries, and nothing else.
 * Tenants can read them, so operators must keep credentials out of them.
 */
const PASSED = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'npm_config_registry',
  'PIP_INDEX_URL',
  'PIP_DEFAULT_TIMEOUT',
  'UV_INDEX_URL',
  'GOPROXY',
  'GOSUMDB',
  'GONOSUMDB',
  'GOFLAGS',
  'GOTOOLCHAIN',
] as const;

/** System certificate bundles of Debian, Red Hat and Alpine. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
] as const;

/** Variables that make build tools use the system bundle. Each tool reads one of them. */
const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE'] as const;

/** Finds the system's certificate bundle. */
export function findSystemBundle(): string | undefined {
  return SYSTEM_BUNDLES.find((path) => existsSync(path));
}

/** Returns the variables that say how this machine reaches registries. */
export function registryVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** Matches credentials in an address, such as `http://user:password@proxy:3128`, anywhere in a value. */
const CREDENTIALS = /\/\/[^/@\s]+@/;

/**
 * Returns {@link registryVariables} for image builds, which print and send their variables: variables with credentials are withheld.
 * @param onWithheld called with the name of each withheld variable
 */
export function imageBuildVariables(
  environment: Readonly<Record<string, string | undefined>>,
  onWithheld: (name: string) => void,
): Record<string, string> {
  const entries = Object.entries(registryVariables(environment));
  for (const [name, value] of entries) if (CREDENTIALS.test(value)) onWithheld(name);
  return Object.fromEntries(entries.filter(([, value]) => !CREDENTIALS.test(value)));
}

/** Returns the environment of builds that run on this machine itself. */
export function buildEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const result = registryVariables(environment);
  const bundle = findSystemBundle();
  if (bundle) for (const name of BUNDLE_VARIABLES) result[name] = bundle;
  return result;
}
