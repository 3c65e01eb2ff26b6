import { createError } from '@berth/contract';
import type { AgentConfig, ExploreAgent } from '@berth/contract/agent';

/** What an agent shows of itself to people, pages and machines. All of it has defaults. */
export interface SiteOptions {
  /** What a person may ask first. */
  readonly suggestions?: readonly string[];
  /** `#rgb` or `#rrggbb`. */
  readonly colors?: Partial<AgentConfig['colors']>;
  /** An SVG document in place of the one that is made of the title's first letter. */
  readonly favicon?: string;
  /** In place of title and description, for search engines and previews; `isIndexed: false` asks search engines to stay away. */
  readonly seo?: { readonly title?: string; readonly description?: string; readonly isIndexed?: boolean };
  /** Other agents for the page to offer, or how to find them; what it throws is logged, and the last good list stays. */
  readonly explore?: readonly ExploreAgent[] | (() => Promise<readonly ExploreAgent[]>);
  /** Shared conversations to begin with, by the path or address of the share's page. */
  readonly examples?: readonly ExampleCategory[];
  /** Files that anybody may have under `/public/`; `./public` by default, where it is there. */
  readonly publicFolder?: string;
}

export interface ExampleCategory {
  readonly label: string;
  /** `/shared/<user>/<token>`, of a team's share with its `?ws=…`, with or without the agent's address before it. */
  readonly shares: readonly string[];
}

export const DEFAULT_COLORS: AgentConfig['colors'] = { primary: '#2563eb', background: '#0f172a', text: '#f8fafc' };

const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** @throws `invalid` naming the option: what is wrong here would be seen by visitors only. */
export function checkSiteOptions({ colors = {}, favicon, suggestions = [], examples = [] }: SiteOptions): void {
  for (const [name, color] of Object.entries(colors)) {
    if (!COLOR.test(String(color))) throw wrong(`colors.${name} must be like #2563eb`);
  }
  if (favicon !== undefined && !/^\s*(<\?xml[^>]*\?>\s*)?<svg[\s>]/i.test(favicon)) {
    throw wrong('favicon must be the text of an SVG document');
  }
  if (!Array.isArray(suggestions) || suggestions.some((text) => typeof text !== 'string')) {
    throw wrong('suggestions must be a list of texts');
  }
  for (const share of examples.flatMap((category) => category.shares)) {
    if (!parseSharePath(share)) throw wrong(`examples: "${share}" is not the address of a share, /shared/USER/TOKEN`);
  }
}

/** What the address of a share's page says. */
export interface SharePlace {
  readonly owner: string;
  readonly token: string;
  /** Of a team's share. */
  readonly workspaceId: string | undefined;
}

/** Reads the address of a share's page; undefined for any other. */
export function parseSharePath(address: string): SharePlace | undefined {
  const pattern = /^(?:https?:\/\/[^/]+)?\/shared\/([^/?#]+)\/([A-Za-z0-9_-]+)(?:\?ws=([\w%.-]+))?$/;
  const [, owner, token, workspace] = pattern.exec(address) ?? [];
  if (owner === undefined || token === undefined) return undefined;
  try {
    return { owner: decodeURIComponent(owner), token, workspaceId: workspace && decodeURIComponent(workspace) };
  } catch {
    return undefined;
  }
}

function wrong(what: string) {
  return createError('invalid', `defineAgent: ${what}`);
}
