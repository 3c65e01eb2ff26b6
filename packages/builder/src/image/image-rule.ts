/** Says whether a Dockerfile may name an image. */
export type ImageRule = (image: string) => boolean;

/** Stands for {@link OFFICIAL_IMAGES} in a list of patterns. */
export const OFFICIAL = 'official';

/**
 * What a Dockerfile may name unless the operator says otherwise: languages, systems and servers of Docker's official images, and
 * the images that the makers of languages publish elsewhere. Names, not `docker.io/library/*`: an image that an operator made
 * on this engine and called `shop` looks like an official one. Source: hub.docker.com/search?badges=official, 2026.
 */
export const OFFICIAL_IMAGES: readonly string[] = [
  ...[
    'almalinux',
    'alpine',
    'amazonlinux',
    'archlinux',
    'busybox',
    'debian',
    'fedora',
    'oraclelinux',
    'rockylinux',
    'ubuntu',
  ],
  ...[
    'amazoncorretto',
    'bash',
    'buildpack-deps',
    'clojure',
    'composer',
    'dart',
    'eclipse-temurin',
    'elixir',
    'erlang',
    'gcc',
  ],
  ...[
    'golang',
    'gradle',
    'groovy',
    'haskell',
    'ibm-semeru-runtimes',
    'julia',
    'maven',
    'mono',
    'node',
    'openjdk',
    'perl',
    'php',
  ],
  ...[
    'pypy',
    'python',
    'r-base',
    'ruby',
    'rust',
    'sapmachine',
    'swift',
    'caddy',
    'haproxy',
    'httpd',
    'jetty',
    'nginx',
    'tomcat',
  ],
  ...[
    'traefik',
    'couchdb',
    'influxdb',
    'mariadb',
    'memcached',
    'mongo',
    'mysql',
    'nats',
    'postgres',
    'rabbitmq',
    'redis',
    'solr',
  ],
  ...['drupal', 'ghost', 'hello-world', 'joomla', 'mediawiki', 'registry', 'wordpress'],
  ...['denoland/deno', 'oven/bun', 'gcr.io/distroless/*', 'ghcr.io/astral-sh/uv', 'mcr.microsoft.com/dotnet/*'],
];

/** `*` at the end or nowhere; else what a reference is made of. Source: distribution/reference, grammar. */
const PATTERN = /^(\*|[A-Za-z0-9][A-Za-z0-9._:/@-]*\*?)$/;

/** Whether {@link createImageRule} can read a pattern. */
export const isImagePattern = (text: string): boolean => PATTERN.test(text);

/**
 * @param patterns `node` for that name with every tag, `node:24-slim` for that tag, `mirror.example/team/*` for all names that begin
 * so, `*` for all, `official` for {@link OFFICIAL_IMAGES}.
 * @param own Images that the operator names elsewhere, such as base images: exactly those.
 */
export function createImageRule(patterns: readonly string[], own: readonly string[]): ImageRule {
  const rules = patterns.flatMap((pattern) => (pattern === OFFICIAL ? OFFICIAL_IMAGES : [pattern])).map(toRule);
  const exact = new Set(own.map((image) => parseImage(image)).map(({ name, version }) => name + version));
  return (image) => {
    const parsed = parseImage(image);
    return exact.has(parsed.name + parsed.version) || rules.some((rule) => rule(parsed));
  };
}

/** An image's name as a registry has it. */
interface ParsedImage {
  /** With registry, e.g. `docker.io/library/node`. */
  readonly name: string;
  /** `:24-slim`, `@sha256:…` or both; `:latest` when nothing is said. */
  readonly version: string;
}

function toRule(pattern: string): (image: ParsedImage) => boolean {
  if (pattern === '*') return () => true;
  if (pattern.endsWith('*')) {
    const prefix = withRegistry(pattern.slice(0, -1));
    return ({ name, version }) => (name + version).startsWith(prefix);
  }
  const { name, version } = parseImage(pattern);
  const isAnyVersion = !hasVersion(pattern);
  return (image) => image.name === name && (isAnyVersion || image.version === version || isPinned(image, version));
}

/** `node:24@sha256:…` is the image that `node:24` was. */
const isPinned = (image: ParsedImage, version: string) => image.version.startsWith(`${version}@`);

function hasVersion(image: string): boolean {
  return /[:@]/.test(image.slice(image.lastIndexOf('/') + 1));
}

function parseImage(image: string): ParsedImage {
  const [, name = image, version = ''] = /^(.*?)((?::[^:/@]+)?(?:@[^/]+)?)$/s.exec(image) ?? [];
  return { name: withRegistry(name), version: version || ':latest' };
}

/** Source: distribution/reference, normalize.go: what has no dot, no colon and is not `localhost` is no registry. */
function withRegistry(name: string): string {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost';
  const full = isRegistry ? name : `docker.io/${name}`;
  const [, path] = /^(?:index\.)?docker\.io\/(.*)$/s.exec(full) ?? [];
  if (path === undefined) return full;
  return `docker.io/${path.includes('/') ? path : `library/${path}`}`;
}
