import type { UiFrame } from '@berth/contract/agent';
import { element } from '../element.ts';
import { visible } from '../visible.ts';

export type Decision = 'approve' | 'deny' | 'always';

const CHOICES: readonly (readonly [Decision, string])[] = [
  ['approve', 'Allow once'],
  ['always', 'Always allow'],
  ['deny', 'Deny'],
];

/** Asks whether a tool may run, with what it would be given. `decide` is called once. */
export function renderConfirm(frame: UiFrame, decide: (decision: Decision) => Promise<void>): HTMLElement {
  const tool = visible(String(frame['tool'] ?? ''));
  const label = visible(String(frame['label'] ?? tool));
  const connector = frame['connector'] === undefined ? '' : ` of ${visible(String(frame['connector']))}`;
  const note = element('p', { class: 'hint', role: 'status' });
  const buttons = CHOICES.map(([decision, words]) =>
    element('button', { type: 'button', 'data-decision': decision, onClick: () => choose(decision, words) }, words),
  );
  const choose = async (decision: Decision, words: string) => {
    for (const button of buttons) button.disabled = true;
    note.textContent = `${words}…`;
    try {
      await decide(decision);
      note.textContent = { approve: 'Allowed once.', always: 'Always allowed.', deny: 'Denied.' }[decision];
    } catch (error) {
      note.textContent = error instanceof Error ? error.message : 'That did not work.';
      for (const button of buttons) button.disabled = false;
    }
  };
  return element(
    'section',
    { class: 'card confirm', 'aria-label': `Approval: ${label}` },
    element('strong', { dir: 'auto' }, `May the agent do this: ${label}?`),
    // Its label may say anything: this is what it is.
    element('p', { class: 'hint' }, 'Tool: ', element('code', {}, `${tool}${connector}`)),
    frame['args'] !== undefined &&
      element(
        'pre',
        { tabindex: 0, 'aria-label': 'What it would be given' },
        visible(JSON.stringify(frame['args'], null, 2)),
      ),
    element('div', { class: 'row' }, ...buttons),
    note,
  );
}
