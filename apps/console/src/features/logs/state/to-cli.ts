import type { HttpCall } from '@berth/ui';
import { buildFilter } from './build-filter.ts';
import type { LogsView } from './logs-view.ts';

/** Returns the CLI command and the HTTP call equivalent to a view. `quote` quotes a word for the shell. */
export function toCommands(
  view: LogsView,
  quote: (text: string) => string,
): { readonly cli: string; readonly http: HttpCall } {
  const upTo = 'last' in view.range ? undefined : view.range.to;
  const query = buildFilter(view, { upTo })?.replaceAll('\n)', view.filter.includes('--') ? '\n)' : ')');
  const since = 'last' in view.range ? view.range.last : view.range.from;
  const words = ['npx berth logs', quote(view.deployment), view.isLive ? '-f' : `--since ${since}`];
  if (query !== undefined) words.push('-q', quote(query));
  const within = 'last' in view.range ? query : buildFilter(view, { from: view.range.from, upTo });
  const body = { deployment_name: view.deployment, limit: 1_000, ...(within !== undefined && { query: within }) };
  return { cli: words.join(' '), http: { method: 'POST', path: '/v1/deployment/logs', body } };
}

/** Returns the CLI command and the HTTP call that list the fields of a view. */
export function toFieldCommands(
  view: LogsView,
  span: { readonly since: string; readonly until: string },
  quote: (text: string) => string,
): { readonly cli: string; readonly http: HttpCall } {
  const query = buildFilter(view);
  const since = 'last' in view.range ? view.range.last : view.range.from;
  const cli = ['npx berth logs', quote(view.deployment), `--fields --since ${since}`];
  if (query !== undefined) cli.push('-q', quote(query));
  const body = { deployment_name: view.deployment, ...span, ...(query !== undefined && { query }) };
  return { cli: cli.join(' '), http: { method: 'POST', path: '/v1/deployment/logs/fields', body } };
}
