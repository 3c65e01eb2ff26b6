import type { Part, StepFrame, ToolCallFrame } from '@berth/contract/agent';
import { element } from '../element.ts';
import type { PartView } from './part-view.ts';

/** Something the agent does or did: a line that opens to what was given and what came of it. It stays open while it changes. */
export function createStepView(): PartView {
  const mark = element('span', { class: 'mark' });
  const label = element('span', { dir: 'auto' });
  const args = element('pre', { tabindex: 0 });
  const result = element('pre', { tabindex: 0 });
  const node = element(
    'details',
    { class: 'step' },
    element('summary', {}, mark, label),
    element('p', { class: 'hint' }, 'Given'),
    args,
    element('p', { class: 'hint' }, 'Result'),
    result,
  );
  const show = (field: HTMLElement, text: string) => {
    field.textContent = text;
    field.hidden = text === '';
    (field.previousElementSibling as HTMLElement).hidden = text === '';
  };
  return {
    node,
    update(part: Part) {
      const step = toStep(part as StepFrame | ToolCallFrame);
      const state = step.ok === undefined ? 'running' : step.ok ? 'done' : 'failed';
      node.dataset['state'] = state;
      mark.textContent = { running: '…', done: '✓', failed: '✗' }[state];
      mark.setAttribute('aria-label', state);
      mark.setAttribute('role', 'img');
      label.textContent = step.step ?? step.tool_name ?? 'Step';
      show(args, readable(step.args));
      show(result, step.result ?? '');
    },
  };
}

function toStep(part: StepFrame | ToolCallFrame): StepFrame {
  return part.type === 'step' ? part : { type: 'step', step: part.tool, args: part.args, ok: true };
}

/** Arguments as a person reads them; of a text that is JSON, what it says. */
function readable(args: unknown): string {
  if (args === undefined) return '';
  if (typeof args !== 'string') return JSON.stringify(args, null, 2);
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}
