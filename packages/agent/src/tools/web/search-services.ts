import { z } from 'zod';

/** A page that a search found. */
export interface SearchResult {
  readonly title: string;
  /** `http://` or `https://`; other results are dropped. */
  readonly url: string;
  readonly snippet?: string | undefined;
}

/** A request to a search service, and what its answer means. */
export interface SearchService {
  /** The service's address; undefined for self-hosted software. */
  readonly baseUrl?: string;
  readonly needsKey: boolean;
  request(asked: { readonly query: string; readonly maxResults: number; readonly apiKey: string }): {
    /** Below the base address. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** Sent as JSON with POST; without it the request is a GET. */
    readonly body?: object;
  };
  /** Parses the JSON of an answer. */
  readonly answer: z.ZodType<readonly SearchResult[]>;
}

const text = z.string().nullish();
const found = (
  rows: readonly {
    readonly title?: string | null | undefined;
    url: string;
    snippet?: string | null | undefined;
  }[] = [],
): readonly SearchResult[] =>
  rows.map(({ title, url, snippet }) => ({ title: title ?? '', url, ...(snippet && { snippet }) }));

/** The services that `webSearch` knows. Sources: the services' API references. */
export const SEARCH_SERVICES = {
  /** Source: api-dashboard.search.brave.com/documentation, "Web search". */
  brave: {
    baseUrl: 'https://api.search.brave.com/res/v1',
    needsKey: true,
    request: ({ query, maxResults, apiKey }) => ({
      path: `/web/search?${new URLSearchParams({ q: query, count: String(maxResults), text_decorations: 'false' })}`,
      headers: { 'X-Subscription-Token': apiKey },
    }),
    answer: z
      .object({
        web: z.object({ results: z.array(z.object({ title: text, url: z.string(), description: text })) }).nullish(),
      })
      .transform(({ web }) => found(web?.results.map(({ description, ...row }) => ({ ...row, snippet: description })))),
  },
  /** Source: docs.searxng.org/dev/search_api. The instance must allow the format `json`. */
  searxng: {
    needsKey: false,
    request: ({ query }) => ({ path: `/search?${new URLSearchParams({ q: query, format: 'json' })}`, headers: {} }),
    answer: z
      .object({ results: z.array(z.object({ title: text, url: z.string(), content: text })) })
      .transform(({ results }) => found(results.map(({ content, ...row }) => ({ ...row, snippet: content })))),
  },
  /** Source: serper.dev, "API reference". */
  serper: {
    baseUrl: 'https://google.serper.dev',
    needsKey: true,
    request: ({ query, maxResults, apiKey }) => ({
      path: '/search',
      headers: { 'X-API-KEY': apiKey },
      body: { q: query, num: maxResults },
    }),
    answer: z
      .object({ organic: z.array(z.object({ title: text, link: z.string(), snippet: text })).nullish() })
      .transform(({ organic }) => found(organic?.map(({ link, ...row }) => ({ ...row, url: link })))),
  },
  /** Source: docs.tavily.com, "Tavily Search". */
  tavily: {
    baseUrl: 'https://api.tavily.com',
    needsKey: true,
    request: ({ query, maxResults, apiKey }) => ({
      path: '/search',
      headers: { Authorization: `Bearer ${apiKey}` },
      body: { query, max_results: maxResults },
    }),
    answer: z
      .object({ results: z.array(z.object({ title: text, url: z.string(), content: text })) })
      .transform(({ results }) => found(results.map(({ content, ...row }) => ({ ...row, snippet: content })))),
  },
} as const satisfies Readonly<Record<string, SearchService>>;
