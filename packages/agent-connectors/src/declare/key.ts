import type { Tool } from '@berth/agent-core';
import type { ConnectorScope } from '@berth/contract/agent';
import type { Connector } from '../connector/connector.ts';
import { type ApiOption, type ConnectorDescription, checkApi, describe, wrongOf } from './check.ts';
import { checkKey, type KeySettings } from './key-settings.ts';

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
