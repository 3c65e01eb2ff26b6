import type { Tool } from '@berth/agent-core';
import type { ConnectorScope } from '@berth/contract/agent';
import type { Connector, KeyAuth, KeyPlace, KeyProbe } from '../connector/connector.ts';
import { type ApiOption, type ConnectorDescription, checkApi, describe, type Wrong, wrongOf } from './check.ts';
import { readHostRule } from './endpoint-rule.ts';

/** Where a key is sent and how a new key is checked. */
export interface KeySettings {
  /** Header that carries the key; `Authorization` by default. */
  readonly header?: string;
  /** Prefix of the key in the header; `Bearer` by default in `Authorization`, none elsewhere. `''` for none. */
  readonly scheme?: string;
  /** Query parameter that carries the key, instead of a header. */
  readonly query?: string;
  /**
   * Users also give the address, on one of these hosts: `{ hosts: ['.atlassian.net'] }`. `.example.com` matches the
   * hosts below it, `example.com` that host only, `example.com:8443` another port, `http://…` a host without TLS in the
   * owner's network.
   */
  readonly endpoint?: { readonly hosts: readonly string[]; readonly example?: string };
  /**
   * Request below the base URL that checks a new key before it is stored: `'user'`, or with a method. Any status but
   * 2xx rejects the key.
   */
  readonly probe?: string | { readonly path: string; readonly method?: KeyProbe['method'] };
}

/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HOST = /^[a-z0-9.:[\]-]+$/;
/** Headers of the connection, which can't carry a key. */
const REFUSED_HEADERS = /^(host|cookie|connection|content-.*|transfer-encoding|te|upgrade|proxy-.*|x-forwarded-.*)$/i;

/** Options of {@link key}. */
export interface KeyOptions extends ConnectorDescription, KeySettings {
  /** `either` by default: users connect for themselves, managers for a workspace. */
  readonly scope?: ConnectorScope;
  /** The API that takes the key; with `endpoint`, users give their own address. */
  readonly api?: ApiOption;
  /** Your own tools; they get `context.connector`, never the key. */
  readonly tools?: readonly Tool[];
}

/** Declares a REST API that takes a key which users paste. @throws `invalid` naming the option. */
export function key(options: KeyOptions): Connector {
  const wrong = wrongOf('key', options?.name);
  const description = describe(options, wrong);
  if (options.api === undefined && options.endpoint === undefined) {
    throw wrong('api', 'is missing: api: "https://api.example.com", or endpoint: { hosts: [".example.com"] }');
  }
  return {
    ...description,
    kind: 'key',
    auth: checkKey(options, wrong),
    ...(options.api !== undefined && { api: checkApi(options.api, wrong) }),
    tools: options.tools ?? [],
  };
}

/** Checks the settings of a key. @throws `invalid` naming the option. */
export function checkKey(settings: KeySettings, wrong: Wrong): KeyAuth {
  const { endpoint, probe } = settings;
  if (endpoint) for (const host of checkHosts(endpoint.hosts, wrong)) checkHost(host, wrong);
  const place = checkPlace(settings, wrong);
  return {
    type: 'key',
    place,
    ...(endpoint && { endpoint: { ...endpoint, hosts: endpoint.hosts.map((host) => host.toLowerCase()) } }),
    ...(probe !== undefined && { probe: checkProbe(probe, wrong) }),
  };
}

function checkPlace({ header = 'Authorization', scheme, query }: KeySettings, wrong: Wrong): KeyPlace {
  if (query !== undefined) {
    if (query === '' || scheme !== undefined) throw wrong('query', 'must be the name of a parameter, without a scheme');
    return { in: 'query', name: query };
  }
  if (!TOKEN.test(header) || REFUSED_HEADERS.test(header)) {
    throw wrong('header', 'must be the name of a header for credentials: header: "X-Api-Key"');
  }
  const prefix = scheme ?? (header.toLowerCase() === 'authorization' ? 'Bearer' : '');
  if (prefix !== '' && !TOKEN.test(prefix)) throw wrong('scheme', 'must be one word, such as "Bearer" or "Token"');
  return { in: 'header', name: header, ...(prefix !== '' && { scheme: prefix }) };
}

function checkHosts(hosts: unknown, wrong: Wrong): readonly string[] {
  if (Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => typeof host === 'string')) return hosts;
  throw wrong('endpoint.hosts', 'must name at least one host: hosts: [".example.com"]');
}

function checkHost(rule: string, wrong: Wrong): void {
  const { host, isBelow } = readHostRule(rule.toLowerCase());
  // Hosts are compared as URLs spell them: in lower case, in Punycode, without the scheme's default port.
  const isHost = HOST.test(host) && URL.parse(`https://${host}/`)?.host === host;
  if (!isHost || (isBelow && !host.includes('.'))) {
    throw wrong(
      'endpoint.hosts',
      `has ${JSON.stringify(rule)}, which is not a host: "api.example.com" or ".example.com"`,
    );
  }
}

function checkProbe(probe: NonNullable<KeySettings['probe']>, wrong: Wrong): KeyProbe {
  const { path, method = 'GET' } = typeof probe === 'string' ? { path: probe } : probe;
  if (typeof path !== 'string' || path.startsWith('/') || path.includes('://') || path.split('/').includes('..')) {
    throw wrong('probe', 'must be a path below the base address, without a leading /: probe: "user"');
  }
  if (!['GET', 'HEAD', 'POST'].includes(method)) throw wrong('probe.method', 'must be GET, HEAD or POST');
  return { path, method };
}
