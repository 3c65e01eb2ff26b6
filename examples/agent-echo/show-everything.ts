import { setTimeout as sleep } from 'node:timers/promises';
import {
  callout,
  code,
  type HandlerContext,
  type HandlerItem,
  image,
  sources,
  status,
  step,
  table,
  thinking,
  ui,
} from '@berth/agent';

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4"><rect width="8" height="4" fill="#1d4ed8"/><circle cx="4" cy="2" r="1.2" fill="#fff"/></svg>`;

/** One of each component, in the order in which a turn would have them. */
export async function* showEverything({ signal }: HandlerContext): AsyncGenerator<HandlerItem> {
  yield status('Looking around');
  yield thinking('They want to see everything. ');
  yield thinking('I begin with text.');
  yield '## Everything\n\nText is **markdown**, and comes ';
  yield 'in pieces.';
  yield step('Reading notes.txt', { id: 'read', tool_name: 'read_file' });
  yield { type: 'step_arg', id: 'read', delta: '{"path":' };
  yield { type: 'step_arg', id: 'read', delta: '"notes.txt"}' };
  await sleep(100, undefined, { signal });
  yield step('Read notes.txt', { id: 'read', ok: true, result: '3 lines' });
  yield step('Looking for what is not there', {
    id: 'missing',
    tool_name: 'search',
    ok: false,
    result: 'Nothing found',
  });
  yield { type: 'tool_call', id: 'call-1', tool: 'get_time', args: { zone: 'Europe/Oslo' } };
  yield status('Almost done');
  yield code('const answer = ', 'ts');
  yield code('42;\n', 'ts');
  yield* table(
    ['Tide', 'Time', 'Height'],
    [
      ['High', '04:12', '3.1 m'],
      ['Low', '10:27', '0.4 m'],
    ],
  );
  yield callout('This is only a demonstration.');
  yield callout('Mind the gap.', 'warning', 'Careful');
  yield callout('That did not work.', 'error');
  yield callout('All is well.', 'success');
  yield image(`data:image/svg+xml,${encodeURIComponent(PICTURE)}`, {
    alt: 'A white disc on blue',
    caption: 'A picture',
  });
  yield sources('src-1', [
    {
      title: 'Frames of an agent',
      url: 'https://html.spec.whatwg.org/multipage/server-sent-events.html',
      snippet: 'text/event-stream',
    },
  ]);
  yield ui('suggest', { suggestions: ['slow 10', 'who am i'] });
  yield 'That was all.';
}
