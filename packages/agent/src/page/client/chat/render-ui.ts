import type { UiFrame } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { renderConnect } from '../connectors/connect-card.ts';
import { element } from '../element.ts';
import type { Media } from '../media.ts';
import { type Decision, renderConfirm } from './confirm-card.ts';

/** What a card of the agent's can set off. */
export interface UiActions {
  readonly api: Api;
  send(text: string): void;
  decide(frame: UiFrame, decision: Decision): Promise<void>;
}

/** The card of an action; undefined for what this page does not know. Source: spec agent-api 2, `ui`. */
export function renderUi(frame: UiFrame, media: Media, actions: UiActions): HTMLElement | undefined {
  switch (frame.action) {
    case 'confirm':
      return renderConfirm(frame, (decision) => actions.decide(frame, decision));
    case 'suggest':
      return choices('Suggestions', undefined, texts(frame['suggestions']), actions);
    case 'ask':
      return choices('Question', String(frame['question'] ?? ''), texts(frame['options']), actions);
    case 'open_canvas': {
      const path = String(frame['path'] ?? frame['src'] ?? '');
      if (path === '') return undefined;
      return element('p', { class: 'card' }, 'Open ', media.link(path, [document.createTextNode(path)]));
    }
    case 'connect':
      return renderConnect(frame, actions.api, () => actions.send('Go on.'));
    case 'open_plan_modal':
      return element('p', { class: 'card', role: 'note' }, 'Your plan does not cover this.');
    default:
      return undefined;
  }
}

function choices(
  label: string,
  question: string | undefined,
  options: readonly string[],
  actions: UiActions,
): HTMLElement | undefined {
  if (!question && options.length === 0) return undefined;
  return element(
    'section',
    { class: 'card', 'aria-label': label },
    question !== undefined && element('strong', { dir: 'auto' }, question),
    element(
      'div',
      { class: 'row' },
      ...options.map((text) =>
        element('button', { type: 'button', dir: 'auto', onClick: () => actions.send(text) }, text),
      ),
    ),
  );
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
