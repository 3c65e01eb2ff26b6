import type { Authenticator } from '@berth/agent-core';
import { AGENT_LIMITS, type AgentConfig } from '@berth/contract/agent';
import { checkSiteOptions, DEFAULT_COLORS } from '../metadata/site-options.ts';
import { type AgentOptions, hasTitles } from './agent-options.ts';

/**
 * Returns the public configuration of an agent. Source: docs/contract/agent-api.md §3, `/config`.
 * @throws `invalid` when an option of the site is wrong.
 */
export function agentConfig(
  options: AgentOptions,
  authenticator: Authenticator | undefined,
  isProduction: boolean,
): AgentConfig {
  checkSiteOptions(options);
  const { name, title = name, description, seo = {} } = options;
  return {
    name,
    title,
    ...(description === undefined ? {} : { description }),
    prod: isProduction,
    auth: authenticator !== undefined,
    voice: options.speech !== undefined,
    ...((options.suggestions ?? []).length > 0 && { suggestions: [...(options.suggestions ?? [])] }),
    max_upload: options.maxUploadMb ?? AGENT_LIMITS.uploadMib,
    workspaces: options.workspaces ?? null,
    connectors: authenticator !== undefined && (options.connectors ?? []).length > 0,
    memory: authenticator !== undefined && options.memory === true,
    ...(hasTitles(options) && { titles: true }),
    explore_enabled: options.explore !== undefined,
    examples_enabled: (options.examples ?? []).length > 0,
    colors: { ...DEFAULT_COLORS, ...options.colors },
    favicon: '/favicon.svg',
    og: '/og.png',
    seo: {
      title: seo.title ?? title,
      description: seo.description ?? description ?? '',
      indexed: seo.isIndexed ?? true,
    },
    sign_in: authenticator?.signIn ?? null,
  };
}
