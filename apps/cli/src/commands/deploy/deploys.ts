import type { DeploySummary } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { readLimit, readPages } from '../../flags/read-pages.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatAge } from '../../output/format-age.ts';
import { formatDuration } from '../../output/format-duration.ts';
import type { Style } from '../../output/style.ts';

/** Maximum deploys of a page. */
const PAGE_DEPLOYS = 200;

/** `berth deploys`. */
export const deploys = defineCommand({
  name: 'deploys',
  summary: 'List running and finished deploys',
  words: { '[name]': 'Only this deployment' },
  options: { '--active': 'Only running deploys', '--limit <number>': 'Maximum deploys, newest first; 20 by default' },
  examples: [
    ['berth deploys', 'the newest 20 of the account'],
    ['berth deploys my-app --active', 'running deploys, with IDs for `berth follow` and `berth cancel`'],
    ['berth deploys my-app --json', 'one deploy per line'],
  ],
  async run({ words: [name], options }, { connect, output, clock }) {
    const wanted = readLimit(options.limit, 20);
    const state = options.active ? 'active' : undefined;
    const client = await connect();
    const found = await readPages(wanted, PAGE_DEPLOYS, async (limit, page_token) => {
      const page = await client.get('/v1/deploys', { params: { query: { name, state, limit, page_token } } });
      return [page.deploys, page.next_page_token];
    });
    for (const one of found) output.json(one);
    if (found.length === 0) return output.say(options.active ? 'No deploy is running.' : 'No deploys yet.');
    const { style } = output;
    const nowMs = clock.nowMs();
    output.table(found, [
      { heading: 'ID', text: (row) => row.deploy_id },
      { heading: 'NAME', text: (row) => row.deployment, paint: style.bold },
      { heading: 'KIND', text: kindText },
      { heading: 'STATUS', text: (row) => row.status, paint: (text, row) => paintStep(row.status, text, style) },
      { heading: 'BY', text: byText },
      { heading: 'BEGAN', text: (row) => formatAge(row.created_at, nowMs) },
      {
        heading: 'TOOK',
        text: (row) => formatDuration((row.ended_at ? Date.parse(row.ended_at) : nowMs) - Date.parse(row.created_at)),
      },
      { heading: 'RESULT', text: (row) => (row.status === 'failed' ? (row.code ?? '-') : (row.revision ?? '-')) },
    ]);
  },
});

/** Returns the kind, with the beginning of the commit's id. */
function kindText({ kind, commit }: DeploySummary): string {
  return commit ? `${kind} ${cleanText(commit.sha.slice(0, 10))}` : kind;
}

function byText({ actor }: DeploySummary): string {
  if (!actor) return '-';
  if (actor.name === null) return actor.id ?? 'Berth';
  return `${cleanText(actor.name)}${actor.is_deleted ? ' (deleted key)' : ''}`;
}

function paintStep(status: DeploySummary['status'], text: string, style: Style): string {
  if (status === 'done') return style.green(text);
  if (status === 'failed') return style.red(text);
  return status === 'cancelled' ? style.dim(text) : style.yellow(text);
}
