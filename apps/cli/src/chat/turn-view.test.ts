import type { Frame } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { createStreamOutput } from '../output/stream-output.ts';
import { createTurnView } from './turn-view.ts';

function show(frames: readonly Frame[], { isTTY = false, hasColor = false } = {}) {
  const printed: string[] = [];
  const said: string[] = [];
  const stdout = { isTTY, write: (text: string) => void printed.push(text) };
  const stderr = { isTTY, write: (text: string) => void said.push(text) };
  const output = createStreamOutput({
    stdout,
    stderr,
    isJson: false,
    isQuiet: false,
    hasUnicode: true,
    hasColor: { stdout: hasColor, stderr: hasColor },
  });
  const view = createTurnView(output, stdout.write);
  for (const frame of frames) view.show(frame);
  view.end();
  return { out: printed.join(''), err: said.join(''), view };
}

const EVERY: readonly Frame[] = [
  { type: 'chat_id', chat_id: 'c' },
  { type: 'status', status: 'Looking' },
  { type: 'thinking', thinking: 'hm' },
  { type: 'step', id: 's', step: 'Search' },
  { type: 'step_arg', id: 's', delta: '{"q":1}' },
  { type: 'step', id: 's', ok: true, result: 'three' },
  { type: 'text', text: 'Here ' },
  { type: 'text', text: 'it is:' },
  { type: 'code', code: 'let a', language: 'ts' },
  { type: 'code', code: ' = 1;' },
  { type: 'table', headers: ['name', 'n'] },
  { type: 'table', row: ['a|b', '1'] },
  { type: 'callout', callout: 'mind\nit', style: 'warning', title: 'Note' },
  { type: 'image', src: 'https://x/i.png', alt: 'a cat' },
  { type: 'sources', id: 'q', sources: [{ title: 'One', url: 'https://one' }] },
  { type: 'tool_call', id: 't', tool: 'search', args: { q: 1 } },
  { type: 'step', step: 'Save', ok: false, result: 'disk full\nmore' },
  { type: 'ui', action: 'confirm', key: 'k', label: 'Delete a.txt', tool: 'delete' },
  { type: 'hologram' } as unknown as Frame,
  { type: 'text', text: 'Done.\n' },
];

it('writes the answer as markdown into a pipe, and what is done beside it on standard error', () => {
  const { out, err, view } = show(EVERY);
  expect(out).toBe(`Here it is:

\`\`\`ts
let a = 1;
\`\`\`

| name | n |
| --- | --- |
| a\\|b | 1 |

> **Note**
> mind
> it

![a cat](https://x/i.png)

- [One](https://one)

Done.
`);
  expect(err).toBe('✓ Search\nsearch {"q":1}\n✗ Save: disk full\n');
  expect(view.asked).toEqual([expect.objectContaining({ action: 'confirm', key: 'k' })]);
  expect(view.parts.map((part) => part.type)).toEqual([
    'status',
    'thinking',
    'step',
    'text',
    'code',
    'table',
    'callout',
    'image',
    'sources',
    'tool_call',
    'step',
    'text',
  ]);
});

/** Fails when a sub-agent's steps look like those of the agent. */
it('indents the steps of a sub-agent', () => {
  const { err } = show([
    { type: 'step', id: 'a', step: 'Research' },
    { type: 'step', id: 'b', parent: 'a', step: 'Search' },
    { type: 'step', id: 'b', ok: true },
    { type: 'step', id: 'a', ok: true },
  ]);
  expect(err).toBe('  ✓ Search\n✓ Research\n');
});

it('says where what the agent needs is connected', () => {
  const frame = { type: 'ui', action: 'connect', connector: 'notes', scope: 'user', title: 'Notion' } as const;
  const { err, view } = show([{ type: 'text', text: 'One moment.' }, frame]);
  expect(err).toBe(`▲ The agent needs Notion. Connect it on the agent's page, then say "Go on."\n`);
  expect(view.asked).toEqual([frame]);
});

it('shows a person tables in columns, callouts with a bar, and what the agent thinks', () => {
  const { out } = show(EVERY, { isTTY: true });
  expect(out).toContain('hm\n');
  expect(out).toMatch(/name\s+n\na\|b\s+1\n/);
  expect(out).toContain('│ Note\n│ mind\n│ it\n');
  expect(out).toContain('image a cat https://x/i.png');
  expect(out).toContain('[1] One https://one');
});

it('keeps colors of its own and lets nothing of the agent act on the terminal', () => {
  const attack = '\u001b]0;owned\u0007\u001b[2J';
  const { out, err } = show(
    [
      { type: 'text', text: `a${attack}b` },
      { type: 'callout', callout: `c${attack}`, style: 'error', title: attack },
      { type: 'table', headers: [attack] },
      { type: 'table', row: [attack] },
      { type: 'sources', id: 's', sources: [{ title: attack, url: attack }] },
      { type: 'step', step: attack, ok: false, result: attack },
      { type: 'code', code: attack, language: attack },
    ],
    { isTTY: true, hasColor: true },
  );
  for (const text of [out, err]) {
    expect(text).not.toContain('owned');
    expect(text).not.toContain('\u001b[2J');
  }
  expect(out).toContain('\u001b[31m│');
});
