import { AGENT_LIMITS, type AgentConfig } from '@berth/contract/agent';
import type { AgentDeps } from '../http/agent-deps.ts';
import { DEFAULT_COLORS } from './site-options.ts';

/** What anybody may know of an agent. Source: docs/contract/agent-api.md §3, `/config`. */
export function agentConfig({
  options,
  authenticator,
  isProduction,
}: Pick<AgentDeps, 'options' | 'authenticator' | 'isProduction'>): AgentConfig {
  const { name, title = name, description, seo = {} } = options;
  return {
    name,
    title,
    ...(description === undefined ? {} : { description }),
    prod: isProduction,
    auth: authenticator !== undefined,
    voice: options.speech !== undefined,
    suggestions: [...(options.suggestions ?? [])],
    max_upload: options.maxUploadMb ?? AGENT_LIMITS.uploadMib,
    workspaces: options.workspaces ?? null,
    connectors: authenticator !== undefined && (options.connectors ?? []).length > 0,
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
    sign_in: authenticator?.signIn ? { ...authenticator.signIn } : null,
  };
}
