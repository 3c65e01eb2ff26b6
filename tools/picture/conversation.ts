import type { Handler } from '../../packages/agent-core/src/handler/handler-context.ts';

/** Chats in the list, the newest last. */
export const OTHER_CHATS = [
  'Release notes of 2.4',
  'Slow checkout on Friday',
  'Two backup plans',
  'Onboarding Maryam',
  'Webhook secrets',
];

/** Files of the person, by path. */
export const FILES = {
  'reports/november.md': '# November\n',
  'costs-2026-10.csv': 'service,cost\nthumbnails,41.20\nsearch,28.75\napi,52.00\n',
  'costs-2026-11.csv': 'service,cost\nthumbnails,63.90\nsearch,36.10\napi,52.60\n',
  'resize.ts': 'const { width, height } = await readHeader(file);\n',
};

/** The question of the pictured chat. */
export const QUESTION = 'Which services cost more than last month, and why?';

const ANSWER = `Two services account for nearly all of the rise. The rest moved by less than **2 %**.`;

const REASON = `**thumbnails** decodes each picture twice since revision 14: once for its size, once to scale it. Reading the size from the header saves about a third of its CPU time:`;

const CODE = `const { width, height } = await readHeader(file);
const scale = Math.min(1, 640 / Math.max(width, height));
await resize(file, { scale, format: 'webp' });`;

/** Answers {@link QUESTION} as an agent with tools does. */
export const handler: Handler = async function* ({ messages }) {
  if (messages.at(-1)?.content !== QUESTION) return yield 'Done.';
  yield { type: 'step', id: 's1', step: 'Read the costs of both months', tool_name: 'costs', args: '{"months":2}' };
  yield { type: 'step', id: 's1', ok: true, result: '41 services' };
  yield { type: 'step', id: 's2', step: 'Compare CPU time by revision', tool_name: 'metrics', args: '{"top":2}' };
  yield { type: 'step', id: 's2', ok: true, result: 'thumbnails r14, search r31' };
  yield ANSWER;
  yield { type: 'table', headers: ['Service', 'October', 'November', 'Change'] };
  yield { type: 'table', row: ['thumbnails', '$ 41.20', '$ 63.90', '+55 %'] };
  yield { type: 'table', row: ['search', '$ 28.75', '$ 36.10', '+26 %'] };
  yield { type: 'table', row: ['api', '$ 52.00', '$ 52.60', '+1 %'] };
  yield REASON;
  yield { type: 'code', code: CODE, language: 'ts' };
  yield { type: 'ui', action: 'suggest', suggestions: ['Open a pull request', 'What about search?'] };
};
