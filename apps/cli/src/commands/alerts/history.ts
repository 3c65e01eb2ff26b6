import type { AlertEvent } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { readLimit } from '../../flags/read-pages.ts';

/** `berth alerts history`. */
export const alertsHistory = defineCommand({
  name: 'history',
  summary: 'Show what fired and resolved, with the delivery of each notification',
  words: { '[id]': 'ID of an alert; all by default' },
  options: { '--limit <number>': 'Maximum events, up to 200; 50 by default' },
  examples: [
    ['berth alerts history', 'of all alerts, newest first'],
    ['berth alerts history alr_… --json', 'with every delivery'],
  ],
  async run({ words: [id], options }, { connect, output }) {
    const query = { limit: readLimit(options.limit, 50), ...(id === undefined ? {} : { id }) };
    const events = await (await connect()).get('/v1/alerts/history', { params: { query } });
    output.json(events);
    if (events.length === 0) return output.say('Nothing has fired.');
    output.table(events, [
      { heading: 'TIME', text: (row) => row.time },
      { heading: 'TITLE', text: (row) => row.title },
      { heading: 'EVENT', text: (row) => row.kind },
      { heading: 'MESSAGE', text: (row) => row.message },
      { heading: 'DELIVERIES', text: describeDeliveries },
    ]);
  },
});

function describeDeliveries({ deliveries }: AlertEvent): string {
  const texts = deliveries.map(({ channel, state, last_error: error }) =>
    error === null ? `${channel} ${state}` : `${channel} ${state} (${error})`,
  );
  return texts.join(', ') || 'none';
}
