import { existsSync } from 'node:fs';

/**
 * Variables of the server's environment that builds are given: how this machine reaches registries, and nothing else.
 * A tenant can read them, so an operator keeps credentials out of them.
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

/** Debian's, Red Hat's and Alpine's place of the certificates that the machine trusts. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
] as const;

/** What a build's tools read to trust what the machine trusts; each of them knows one of the names. */
const BUNDLE_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE'] as const;

/** The file of certificates that this machine trusts, where there is one. */
export function findSystemBundle(): string | undefined {
  return SYSTEM_BUNDLES.find((path) => existsSync(path));
}

/** How this machine reaches registries. */
export function registryVariables(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** User and password of an address, as `http://user:password@proxy:3128`, wherever in a value it stands. */
const CREDENTIALS = /\/\/[^/@\s]+@/;

/**
 * {@link registryVariables} for builds of images, which print and send what they are given: without those that hold credentials.
 * @param onWithheld Called with the name of each of those.
 */
export function imageBuildVariables(
  environment: Readonly<Record<string, string | undefined>>,
  onWithheld: (name: string) => void,
): Record<string, string> {
  const entries = Object.entries(registryVariables(environment));
  for (const [name, value] of entries) if (CREDENTIALS.test(value)) onWithheld(name);
  return Object.fromEntries(entries.filter(([, value]) => !CREDENTIALS.test(value)));
}

/** The environment of every build that runs on this machine itself. */
export function buildEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const result = registryVariables(environment);
  const bundle = findSystemBundle();
  if (bundle) for (const name of BUNDLE_VARIABLES) result[name] = bundle;
  return result;
}
