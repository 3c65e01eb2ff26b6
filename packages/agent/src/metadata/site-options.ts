import { createError } from '@berth/contract';
import type { AgentConfig, ExploreAgent } from '@berth/contract/agent';

/** Options for what an agent presents to people, pages and crawlers. All are optional. */
export interface SiteOptions {
  /** Suggested first messages. */
  readonly suggestions?: readonly string[];
  /** Colors of the page as `#rgb` or `#rrggbb`. */
  readonly colors?: Partial<AgentConfig['colors']>;
  /** An SVG document. By default it is made from the first letter of the title. */
  readonly favicon?: string;
  /**
   * Replace the title and description in search results and link previews. `isIndexed: false` opts out of search engines.
   */
  readonly seo?: { readonly title?: string; readonly description?: string; readonly isIndexed?: boolean };
  /**
   * Other agents that the page links to, or a function that finds them. Its errors are logged, and the previous list stays.
   */
  readonly explore?: readonly ExploreAgent[] | (() => Promise<readonly ExploreAgent[]>);
  /** Shared conversations that the page shows as examples. */
  readonly examples?: readonly ExampleCategory[];
  /** The folder served under `/public/` without sign-in; `./public` by default, if it exists. */
  readonly publicFolder?: string;
}

/** A group of example conversations. */
export interface ExampleCategory {
  readonly label: string;
  /** Paths or URLs of share pages: `/shared/<user>/<token>`, with `?ws=…` for a team's share. */
  readonly shares: readonly string[];
}

/** The colors of an agent that sets none. */
export const DEFAULT_COLORS: AgentConfig['colors'] = { primary: '#2563eb', background: '#0f172a', text: '#f8fafc' };

const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Checks options at the start of the agent, before visitors see the result. @throws `invalid` naming the option */
export function checkSiteOptions({ colors = {}, favicon, suggestions = [], examples = [] }: SiteOptions): void {
  for (const [name, color] of Object.entries(colors)) {
    if (!COLOR.test(String(color))) throw wrong(`colors.${name} must have the form #2563eb`);
  }
  if (favicon !== undefined && !/^\s*(<\?xml[^>]*\?>\s*)?<svg[\s>]/i.test(favicon)) {
    throw wrong('favicon must be the text of an SVG document');
  }
  if (!Array.isArray(suggestions) || suggestions.some((text) => typeof text !== 'string')) {
    throw wrong('suggestions must be a list of texts');
  }
  for (const share of examples.flatMap((category) => category.shares)) {
    if (!parseSharePath(share)) throw wrong(`examples: "${share}" is not the path of a share, /shared/USER/TOKEN`);
  }
}

/** Parses the path or URL of a share's page; undefined for any other address. `workspaceId` names a team, if it is one's share. */
export function parseSharePath(address: string) {
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
