/** Reports whether a Dockerfile may use an image. */
export type ImageRule = (image: string) => boolean;

/** The pattern that stands for {@link OFFICIAL_IMAGES}. */
export const OFFICIAL = 'official';

/**
 * The images that Dockerfiles may use by default: the languages, systems and servers among Docker's official images,
 * and the images of language vendors on other registries. They are listed by name instead of `docker.io/library/*`,
 * because a local image of the operator named `shop` would match that. Source: hub.docker.com/search?badges=official,
 * 2026.
 */
export const OFFICIAL_IMAGES: readonly string[] = `
  almalinux alpine amazonlinux archlinux busybox debian fedora oraclelinux rockylinux ubuntu amazoncorretto
  bash buildpack-deps clojure composer dart eclipse-temurin elixir erlang gcc golang gradle groovy haskell
  ibm-semeru-runtimes julia maven mono node openjdk perl php pypy python r-base ruby rust sapmachine swift
  caddy haproxy httpd jetty nginx tomcat traefik couchdb influxdb mariadb memcached mongo mysql nats postgres
  rabbitmq redis solr drupal ghost hello-world joomla mediawiki registry wordpress denoland/deno oven/bun
  gcr.io/distroless/* ghcr.io/astral-sh/uv mcr.microsoft.com/dotnet/*
`
  .trim()
  .split(/\s+/);

/**
 * Matches the characters of an image reference, with `*` allowed only at the end. Source: distribution/reference,
 * grammar.
 */
const PATTERN = /^(\*|[A-Za-z0-9][A-Za-z0-9._:/@-]*\*?)$/;

/** Reports whether a pattern is valid for {@link createImageRule}. */
export const isImagePattern = (text: string): boolean => PATTERN.test(text);

/**
 * Creates a rule from patterns.
 * @param patterns `node` for that name with every tag, `node:24-slim` for that tag, `mirror.example/team/*` for all
 * names with that prefix, `*` for all, `official` for {@link OFFICIAL_IMAGES}.
 * @param own Further allowed images, such as base images, matched exactly.
 */
export function createImageRule(patterns: readonly string[], own: readonly string[]): ImageRule {
  const rules = patterns.flatMap((pattern) => (pattern === OFFICIAL ? OFFICIAL_IMAGES : [pattern])).map(toRule);
  const exact = new Set(own.map((image) => parseImage(image)).map(({ name, version }) => name + version));
  return (image) => {
    const parsed = parseImage(image);
    return exact.has(parsed.name + parsed.version) || rules.some((rule) => rule(parsed));
  };
}

/** A normalized image reference. */
interface ParsedImage {
  /** Name with registry, e.g. `docker.io/library/node`. */
  readonly name: string;
  /** `:24-slim`, `@sha256:…` or both; `:latest` by default. */
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

/** Reports whether an image is `version` pinned to a digest: `node:24@sha256:…` matches `node:24`. */
const isPinned = (image: ParsedImage, version: string) => image.version.startsWith(`${version}@`);

function hasVersion(image: string): boolean {
  return /[:@]/.test(image.slice(image.lastIndexOf('/') + 1));
}

function parseImage(image: string): ParsedImage {
  const [, name = image, version = ''] = /^(.*?)((?::[^:/@]+)?(?:@[^/]+)?)$/s.exec(image) ?? [];
  return { name: withRegistry(name), version: version || ':latest' };
}

/**
 * Adds the default registry to a name. A first component without a dot or colon that isn't `localhost` is no registry.
 * Source: distribution/reference, normalize.go.
 */
function withRegistry(name: string): string {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost';
  const full = isRegistry ? name : `docker.io/${name}`;
  const [, path] = /^(?:index\.)?docker\.io\/(.*)$/s.exec(full) ?? [];
  if (path === undefined) return full;
  return `docker.io/${path.includes('/') ? path : `library/${path}`}`;
}
