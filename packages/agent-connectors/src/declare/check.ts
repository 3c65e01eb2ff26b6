import { createError } from '@berth/contract';
import {
  CONNECTOR_NAME,
  CONNECTOR_SCOPES,
  type ConnectorScope,
  inLanguage,
  type LocalText,
  localTextSchema,
} from '@berth/contract/agent';
import type { ConnectorApi } from '../connector/connector.ts';

/** Creates the error for an invalid option, naming the connector and the option. */
export type Wrong = (option: string, what: string) => Error;

/** Returns the error constructor for one declaration. @param maker `mcp`, `oauth` or `key`. */
export function wrongOf(maker: string, name: unknown): Wrong {
  const label = typeof name === 'string' ? JSON.stringify(name.slice(0, 64)) : '';
  return (option, what) => createError('invalid', `${maker}(${label}): ${option} ${what}`);
}

/** The options that every kind of connector has. */
export interface ConnectorDescription {
  /** `^[a-z][a-z0-9-]{0,31}$`. */
  readonly name: string;
  /** Shown to users, in one language or by language (`{ en: 'Calendar', ar: 'التقويم' }`); `name` by default. */
  readonly title?: LocalText;
  readonly description?: LocalText;
  /** An SVG as text, or a path below `/public/`. */
  readonly icon?: string;
}

/** Checks the common options and fills in their defaults. @throws `invalid` naming the option. */
export function describe(options: ConnectorDescription & { readonly scope?: ConnectorScope }, wrong: Wrong) {
  const { name, title = name, description = '', icon, scope = 'either' } = options;
  if (typeof name !== 'string' || !CONNECTOR_NAME.test(name)) {
    throw wrong('name', 'must be lower-case letters, digits and dashes, from a letter, at most 32: name: "my-crm"');
  }
  if (!isLocalText(title) || inLanguage(title).trim() === '') {
    throw wrong('title', "must be a string, or strings by language: { en: 'Calendar' }");
  }
  if (!isLocalText(description))
    throw wrong('description', "must be a string, or strings by language: { en: 'Dates' }");
  if (icon !== undefined && !/^(\s*<svg[\s>]|\/public\/)/.test(icon)) {
    throw wrong('icon', 'must be an SVG string, or a path below /public/');
  }
  if (!CONNECTOR_SCOPES.includes(scope)) throw wrong('scope', 'must be "user", "workspace" or "either"');
  return { name, title: inLanguage(title), shown: { title, description }, ...(icon !== undefined && { icon }), scope };
}

function isLocalText(value: unknown): value is LocalText {
  return localTextSchema.safeParse(value).success;
}

/** Checks a URL that the agent will call. @throws `invalid` naming the option. */
export function checkUrl(value: unknown, option: string, wrong: Wrong, { hasQuery = true } = {}): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw wrong(option, 'must be a URL: https://…');
  }
  if (url.username !== '' || url.password !== '') throw wrong(option, 'must not contain a user name or password');
  if (url.hash !== '' || (!hasQuery && url.search !== '')) {
    throw wrong(option, `must not have a ${url.hash === '' ? 'query' : 'fragment'}`);
  }
  return url;
}

/** An API's base URL, e.g. `'https://api.example.com/v2'`, or its base URL and headers. */
export type ApiOption = string | { readonly baseUrl: string; readonly headers?: Readonly<Record<string, string>> };

/** Checks an API option and normalizes its base URL to end in `/`. @throws `invalid` naming the option. */
export function checkApi(api: ApiOption, wrong: Wrong): ConnectorApi {
  const { baseUrl, headers = {} } = typeof api === 'string' ? { baseUrl: api } : api;
  const { href } = checkUrl(baseUrl, 'api', wrong, { hasQuery: false });
  try {
    new Headers(headers);
  } catch {
    throw wrong('api.headers', 'must be names and values of HTTP headers');
  }
  return { baseUrl: href.endsWith('/') ? href : `${href}/`, headers };
}
